"""Runs a circle of tests with its checks and its budget: python -m tests [--part N | --everything]

bin/test calls it. Without an option: lint, types and the inner circle. --part N: the N-th twelfth of the outer circle, of the
tests on PostgreSQL and of the other Pythons. --everything: all of it; called again after an interruption, it goes on.
"""

import argparse
import hashlib
import math
import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from tests.budget import Speed
from tests.circles import PARTS, lines, processor_seconds
from tests.data_folders import ROOT
from tests.on_postgres import FILES as ON_POSTGRES

BUDGETS = {"inner": 300, "part": 800}
"""Processor seconds at usual speed. .ci/run runs both."""

FAR_OVER = 1.5
"""A run over its budget says so, and one so many times over it fails. Other work on the machine costs processor seconds that
the loop of additions does not see: the same tests took 1.3 times as many beside seven busy processes."""

SHARES = 2
"""Processes of the inner circle, each with its own files. Workers that share tests would all import every file."""

WORKERS = 3
"""Processes of the other circles. Tests of sites and browsers wait for most of their time."""

LINT = (
    ("ruff check .", ""),
    ("ruff format --check --quiet .", "Run: ruff format ."),
    ("djlint templates --check --quiet", "Run: djlint templates --reformat"),
    ("python manage.py makemigrations --check --dry-run --verbosity 0", "Run: python manage.py makemigrations"),
)
TYPES = "mypy"
FLAWS = "python -m tests.security.known_flaws"
OTHER_PYTHONS = ("3.12", "3.13")
DEAREST = 15
PYTEST = "python -m pytest -r fEs"
"""It names skipped tests, so that none is left out silently."""


def main():
    parser = argparse.ArgumentParser(prog="bin/test")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--part", type=int, choices=range(PARTS), metavar=f"0-{PARTS - 1}")
    chosen.add_argument("--everything", action="store_true")
    options = parser.parse_args()
    circle = "everything" if options.everything else "inner" if options.part is None else "part"
    began = time.monotonic()
    with Speed() as speed:
        costs = _cost_file(circle)
        failures = list(_failures(circle, options.part, costs))
    wall, spent = time.monotonic() - began, processor_seconds()
    _print_table(lines(costs), speed.scale)
    print(f"{spent:.0f} processor seconds, {spent / speed.scale:.0f} at usual speed, in {wall:.0f} s.", end=" ")
    print(f"3,000,000 additions take {speed.additions:.2f} s here, 0.25 s at usual speed.")
    if os.environ.get("ECONEVALS_REQUIRE_ALL") == "1" and any(line["outcome"] == "skipped" for line in lines(costs)):
        failures.append("a test was skipped")
    budget = BUDGETS.get(circle, math.inf)
    if spent / speed.scale > budget:
        print(f"That is over the budget of {budget} processor seconds at usual speed; the dearest tests stand above.")
    if spent / speed.scale > budget * FAR_OVER:
        failures.append("the budget")
    print(f"Failed: {'; '.join(failures)}." if failures else "Everything passed.")
    sys.exit(bool(failures))


def _failures(circle, part, costs):
    """Run what belongs to the circle, and name each step that fails."""
    types = None
    if circle != "part":
        for command, advice in LINT:
            if not _works(command):
                yield f"{command}. {advice}".rstrip(". ")
        # Types are checked beside the tests.
        types = subprocess.Popen(TYPES.split(), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not (_inner_works(costs) if circle == "inner" else _works(_pytest(circle, part, costs))):
        yield "tests"
    if types is not None:
        print(types.communicate()[0], end="")
        if types.returncode:
            yield TYPES
    if circle != "inner":
        yield from _failures_elsewhere(part)


def _failures_elsewhere(part):
    """On PostgreSQL, on other Pythons, and in packages of others."""
    files = ON_POSTGRES if part is None else ON_POSTGRES[part::PARTS]
    if "TEST_DATABASE_URL" in os.environ:
        command = f"bin/test --numprocesses 2 --dist loadfile --no-loadscope-reorder {' '.join(files)}"
        if not _works(command, TEST_ON="postgres"):
            yield "tests on PostgreSQL"
    else:
        print("Left out: the tests on PostgreSQL. TEST_DATABASE_URL names a server.")
    for index, version in enumerate(OTHER_PYTHONS):
        if part in (None, index * PARTS // len(OTHER_PYTHONS)) and not _works(f"bin/other-pythons {version}"):
            yield f"Python {version}"
    if not _works(FLAWS):
        yield "packages with known vulnerabilities"


def _inner_works(costs):
    """The shares run at the same time, each with a database of its own, and print one after the other."""
    shares = []
    for index in range(SHARES):
        data = Path(os.environ["ECONEVALS_DATA_DIR"]) / f"share-{index}"
        data.mkdir(mode=0o700)
        command = _words(f"{PYTEST} --circle inner --costs {costs} --share {index}/{SHARES}")
        output = subprocess.PIPE if index else None
        variables = os.environ | {"ECONEVALS_DATA_DIR": str(data)}
        shares.append(subprocess.Popen(command, cwd=ROOT, env=variables, stdout=output, text=True))
    for share in shares:
        print(share.communicate()[0] or "", end="", flush=True)
    return not any(share.returncode for share in shares)


def _words(command):
    return [sys.executable if word == "python" else word for word in command.split(" ")]


def _works(command, **variables):
    return not subprocess.run(_words(command), cwd=ROOT, env=os.environ | variables).returncode


def _pytest(circle, part, costs):
    chosen = f"--circle outer --part {part}" if circle == "part" else f"--circle everything --done {costs}"
    return f"{PYTEST} {chosen} --costs {costs} --numprocesses {WORKERS} --dist loadfile --no-loadscope-reorder"


def _cost_file(circle):
    """For everything a file that outlives an interruption: one for each state of the code. Without Git it begins anew."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True)
    if circle != "everything" or listed.returncode:
        return Path(os.environ["ECONEVALS_DATA_DIR"]) / "costs.jsonl"
    state = hashlib.sha256()
    for name in sorted(listed.stdout.decode().split("\0")):
        path = ROOT / name
        state.update(name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b""))
    folder = ROOT / "test-costs"
    folder.mkdir(exist_ok=True)
    return folder / f"{state.hexdigest()[:12]}.jsonl"


def _print_table(costs, scale):
    """Seconds of each folder and of the dearest tests, at usual speed."""
    folders = defaultdict(list)
    for line in costs:
        folders[Path(line["test"].partition("::")[0]).parts[1]].append(line)
    print(f"\n{'':28}{'tests':>8}{'failed':>8}{'skipped':>8}{'CPU s':>9}{'wall s':>9}")
    for folder, ran in sorted(folders.items(), key=lambda item: -_sum(item[1], "cpu")):
        failed, skipped = (sum(line["outcome"] == outcome for line in ran) for outcome in ("failed", "skipped"))
        cpu, wall = (_sum(ran, name) / scale for name in ("cpu", "wall"))
        print(f"tests/{folder:<22}{len(ran):>8}{failed:>8}{skipped:>8}{cpu:>9.1f}{wall:>9.1f}")
    print("\nThe dearest tests, CPU seconds at usual speed:")
    for line in sorted(costs, key=lambda line: -line["cpu"])[:DEAREST]:
        print(f"{line['cpu'] / scale:>8.1f}  {line['test']}")
    print()


def _sum(costs, name):
    return sum(line[name] for line in costs)


if __name__ == "__main__":
    main()
