"""Measures which branches the tests cover, by package, and which tests reach each line.

    python -m benchmarks branches FOLDER [-- PYTEST ARGUMENTS]

Runs tests with branch coverage, and prints a table. By default these are the tests of bin/test without the browser.
FOLDER then holds two files, which `mutants.py` reads: `.coverage`, with the tests as contexts, and `tests.json`, with the
seconds of each test that passed. Processes that a test starts are measured too, with the file of the test as context.
This module is also the pytest plugin that sets the contexts.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from benchmarks import harness
from benchmarks.harness import ROOT, share, site_variables

CIRCLE = ("--circle", "inner", "--ignore", "tests/browser")
COUNTED = ("num_statements", "covered_lines", "num_branches", "covered_branches")
"""What the table counts, as the report of coverage names it."""

CONTEXT = "ECONEVALS_COVERAGE_CONTEXT"
SETTINGS = """
[run]
branch = true
parallel = true
relative_files = true
data_file = {folder}/.coverage
source = {packages}
omit = */migrations/*
context = ${{{context}-}}
patch = subprocess
disable_warnings = no-data-collected,module-not-measured,couldnt-parse,module-not-imported,already-imported
"""


def packages() -> list[str]:
    """Return the packages of the site and the package of the client."""
    return sorted(file.parent.name for file in ROOT.glob("*/__init__.py") if file.parent.name != "tests") + [
        "client/econevals"
    ]


def run(folder: Path, arguments: list[str]) -> int:
    """Run the tests with coverage; return the exit code of pytest."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(".coverage*"):
        old.unlink()
    settings = folder / "coveragerc"
    settings.write_text(SETTINGS.format(folder=folder, packages=",".join(packages()), context=CONTEXT))
    coverage, own = [sys.executable, "-m", "coverage"], f"--rcfile={settings}"
    plugin = ["-p", "benchmarks.branches", "-o", "console_output_style=count"]
    command = [*coverage, "run", own, "-m", "pytest", *plugin, *arguments, "--numprocesses", "2", "--dist", "loadfile"]
    with tempfile.TemporaryDirectory(prefix="econevals-branches.", ignore_cleanup_errors=True) as data:
        variables = site_variables(data, ECONEVALS_TIMES=str(folder / "tests.json"), **{CONTEXT: ""})
        code = subprocess.run(command, cwd=ROOT, env=variables).returncode
    subprocess.run([*coverage, "combine", own, "--quiet", str(folder)], cwd=ROOT, check=True)
    return code


def table(folder: Path) -> Iterator[str]:
    """Yield the lines of a table: statements and branches of each package, and the shares that the tests reach."""
    from coverage import Coverage

    coverage = Coverage(data_file=str(folder / ".coverage"), config_file=str(folder / "coveragerc"))
    coverage.load()
    coverage.json_report(outfile=str(folder / "coverage.json"))
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for file, parts in json.loads((folder / "coverage.json").read_text())["files"].items():
        for package in (Path(file).parts[0], "all"):
            sums[package].update({name: parts["summary"][name] for name in COUNTED})
    rows = []
    for package in sorted(sums, key=lambda package: (package == "all", package)):
        statements, reached, branches, taken = (sums[package][name] for name in COUNTED)
        rows.append([package, str(statements), share(reached, statements), str(branches), share(taken, branches)])
    return harness.table(["package", "statements", "reached", "branches", "taken"], rows)


class Reach:
    """Finds the tests that reach a line, from the files that `run` wrote to a folder."""

    def __init__(self, folder: Path):
        from coverage import CoverageData

        self.seconds: dict[str, float] = json.loads((folder / "tests.json").read_text())
        self.data = CoverageData(str(folder / ".coverage"))
        self.data.read()
        self._reached, self._tests = lru_cache(self._tests_by_line), cache(self._tests_of)

    def tests(self, file: str, lines: tuple[int, int]) -> list[str]:
        """Return the tests that reach one of the lines from `lines[0]` to `lines[1]`, in the order of their ranks.

        The rank of a test is its seconds times its number among the tests of its file, from quick to slow. The tests of
        the package of `file` get a tenth of this rank.
        """
        reached, (first, last) = self._reached(file), lines
        tests = {test for line in range(first, last + 1) for test in reached.get(line, ())}
        numbers: Counter[str] = Counter()
        ranks = {}
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            numbers[test.partition("::")[0]] += 1
            weight = 0.1 if test.startswith(f"tests/{Path(file).parts[0]}/") else 1.0
            ranks[test] = weight * self.seconds[test] * numbers[test.partition("::")[0]]
        return sorted(ranks, key=lambda test: (ranks[test], test))

    def _tests_by_line(self, file: str) -> dict[int, set[str]]:
        return {
            line: {test for name in names for test in self._tests(name)}
            for line, names in self.data.contexts_by_lineno(file).items()
        }

    def _tests_of(self, context: str) -> list[str]:
        """Return the tests that a context names: one test, or all of a file."""
        return [context] if context in self.seconds else [t for t in self.seconds if t.startswith(f"{context}::")]


class Contexts:
    """Pytest plugin that sets the coverage context: the running test, and its file for the processes that it starts."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        from coverage import Coverage

        os.environ[CONTEXT] = nodeid.partition("::")[0]
        measuring = Coverage.current()
        assert measuring is not None, "This process is not measured."
        measuring.switch_context(nodeid)

    def pytest_sessionfinish(self) -> None:
        from coverage import Coverage

        if (measuring := Coverage.current()) is not None:
            measuring.stop()
            measuring.save()


class Times:
    """Pytest plugin that writes the seconds of each test that passed, with its set-up and teardown."""

    def __init__(self, file: Path):
        self.file = file
        self.seconds: dict[str, float] = defaultdict(float)
        self.others: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.outcome != "passed":
            self.others.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        passed = {test: round(seconds, 4) for test, seconds in self.seconds.items() if test not in self.others}
        self.file.write_text(json.dumps(passed, indent=0))


def pytest_configure(config: Any) -> None:
    """Register the plugins: `Contexts` in the workers of pytest-xdist, `Times` in the process that starts them."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Contexts())
    else:
        config.pluginmanager.register(Times(Path(os.environ["ECONEVALS_TIMES"])))


def main(folder: Path, *arguments: str) -> int:
    code = run(folder.resolve(), list(arguments or CIRCLE))
    print("\n".join(table(folder.resolve())))
    return code
