"""Asks pip-audit whether an installed package has a known vulnerability: python -m tests.security.known_flaws

Fails where one has. Where the advisory service cannot be reached nothing is known, which is said loudly and is no failure:
a closed network must not keep anybody from testing.
"""

import json
import subprocess
import sys
import urllib.request
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

SECONDS = 120
INDEX = "https://pypi.org"
NAMED = 8
Verdict = namedtuple("Verdict", ["fails", "text"])
"""Whether a vulnerability is known, and what to print."""


def verdict(report, complaint=""):
    """What a report of pip-audit in JSON means; None where there is no report, for the reason in `complaint`."""
    if report is None:
        return Verdict(False, _loud(f"pip-audit gave no report: {complaint.strip()[-300:] or 'it said nothing'}"))
    packages = report.get("dependencies", [])
    flawed = [package for package in packages if package.get("vulns")]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    lines = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {', '.join(flaw['fix_versions']) or 'no version'}"
        for package in flawed
        for flaw in package["vulns"]
    ]
    checked = len(packages) - len(unknown)
    if unknown or not packages:
        named = f"{', '.join(unknown[:NAMED])}{' and others' if len(unknown) > NAMED else ''}"
        lines.append(_loud(f"{len(unknown)} of {len(packages)} packages could not be checked: {named}."))
    if checked and not flawed:
        lines.append(f"None of {checked} packages has a known vulnerability.")
    return Verdict(bool(flawed), "\n".join(lines))


def ask_by_project(report, index=INDEX):
    """The report with those packages checked that pip-audit could not, where the newest version is installed.

    Mirrors of an index may have the page of a project, which tells the vulnerabilities of its newest version, and none of
    each version, which pip-audit asks for.
    """

    def asked(package):
        return package if "skip_reason" not in package else _newest(package["name"], index) or package

    with ThreadPoolExecutor(8) as pool:
        return report | {"dependencies": list(pool.map(asked, report.get("dependencies", [])))}


def _newest(name, index):
    try:
        with urllib.request.urlopen(f"{index}/pypi/{name}/json", timeout=5) as answer:
            project = json.load(answer)
        if project["info"]["version"] != version(name):
            return None
        told = [flaw for flaw in project["vulnerabilities"] if not flaw.get("withdrawn")]
    except (OSError, ValueError, KeyError):
        return None
    flaws = [{"id": flaw["id"], "fix_versions": flaw.get("fixed_in", [])} for flaw in told]
    return {"name": name, "version": project["info"]["version"], "vulns": flaws}


def _loud(sentence):
    bar = "!" * 100
    return (
        f"{bar}\nNOT CHECKED for known vulnerabilities. {sentence}\n"
        f"Run `pip-audit` in this environment where the advisory service can be reached.\n{bar}"
    )


def audit():
    options = ("--format", "json", "--progress-spinner", "off", "--timeout", "5")
    command = [sys.executable, "-m", "pip_audit", "--local", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return verdict(None, f"it did not end within {SECONDS} seconds")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return verdict(None, done.stderr)
    return verdict(ask_by_project(report))


if __name__ == "__main__":
    found = audit()
    print(found.text)
    sys.exit(found.fails)
