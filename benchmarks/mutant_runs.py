"""Runs tests on one mutant after the other. For each, a process with all libraries forks, and the fork imports the site.

mutants.py starts it in a copy of the repository: `python -m benchmarks.mutant_runs`. The mistake is written into the file.
So it also affects values that are computed on import, and processes that a test starts.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import itertools
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import ROOT
from benchmarks.processes import tree

WARM_UP = "tests/runs/test_lease.py"
NEEDS_SETTINGS = ("django", "allauth", "csp", "ninja", "tests", "benchmarks", "__")
"""Prefixes of modules that are not preloaded, because they read settings on import or must be imported in each fork."""

PATIENCE = 30
"""Limit of processor seconds for collecting the tests. Each test gets this limit plus the seconds of the mutant."""

MEMORY = 8 * 1024**3
NUMBERS = itertools.count(1)

BECOME_REAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): processes that a fork leaves behind become children of this process."""


class Copy:
    """A copy of the repository's last commit, and a process that runs tests in it."""

    def __init__(self, variables: dict[str, str]):
        self.folder = Path(tempfile.mkdtemp(prefix="mutants."))
        self.tree = self.folder / "econevals"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(self.tree)], check=True)
        if (shared := ROOT.parent / "shared").exists():
            (self.folder / "shared").symlink_to(shared)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.mutant_runs"],
            cwd=self.tree,
            env=variables | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *, file: str, source: str, tests: list[str], seconds: float) -> dict[str, Any]:
        """Run tests with this source of the file for about `seconds` processor seconds. Returns a dict:

        ended: "survived", "killed", "time-out", "crash", or "import" if no test could begin
        failed, said: the first test that did not pass, and its message
        asked: number of tests that began
        """
        question = {"file": file, "source": source, "tests": tests, "seconds": seconds}
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return dict(json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Questions:
    """Pytest plugin that orders the tests, stores the answer, and limits the time of each test."""

    def __init__(self, question: dict[str, Any], written: Path):
        self.question, self.written = question, written
        self.order = {test: index for index, test in enumerate(question["tests"])}
        self.answer: dict[str, Any] = {"ended": "import", "failed": "import", "said": "", "asked": 0}
        self.began = 0.0
        self.write()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: self.order.get(item.nodeid, len(self.order)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.began = self.began or sum(os.times()[:4])
        # Stored before the test: if the kernel ends this process, the answer already names the test.
        self.answer |= {"ended": "crash", "failed": nodeid, "asked": self.answer["asked"] + 1}
        self.write()
        limit(PATIENCE + self.question["seconds"])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.answer["said"]:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.answer["said"] = crash.message[:300] if crash else str(report.longrepr)[-300:]

    pytest_collectreport = pytest_runtest_logreport

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> None:
        """Stop before the next test when the time for this mutant is over."""
        if self.answer["asked"] and sum(os.times()[:4]) - self.began > self.question["seconds"]:
            item.session.shouldstop = "The time for this mutant is over."

    def pytest_sessionfinish(self, session: Any) -> None:
        if self.answer["asked"]:
            self.answer |= {"ended": "killed"} if session.testsfailed else {"ended": "survived", "failed": ""}

    def write(self) -> None:
        self.written.write_text(json.dumps(self.answer))


def limit(seconds: float) -> None:
    """Let the kernel end this process after `seconds` of processor time, or six times as much real time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 6 * seconds)


def preload() -> None:
    """Import the libraries that the site and its tests import."""
    collecting = "import sys, pytest; pytest.main(sys.argv[1:]); print(*sys.modules)"
    command = [sys.executable, "-c", collecting, "--collect-only", WARM_UP]
    for name in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[-2].split():
        own = (ROOT / name.partition(".")[0]).exists() or name.startswith("econevals")
        if not own and not name.startswith(NEEDS_SETTINGS):
            with suppress(ImportError):
                importlib.import_module(name)
    # Objects that exist now are never collected, so a collection in a fork does not copy their memory pages.
    gc.freeze()
    assert len(os.listdir("/proc/self/task")) == 1, "Other threads would be missing from every fork."


def answered(question: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write the source to its file, run the tests in a fork, and restore the file. Returns the answer."""
    file = ROOT / question["file"]
    original, stat = file.read_text(), file.stat()
    file.write_text(question["source"])
    # Each source gets another time: a compiled module is used if it has the same second as its source.
    os.utime(file, (0, 10 * next(NUMBERS)))
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as data:
        try:
            if not (pid := os.fork()):
                _ask(question, Path(data))
            _, status = os.waitpid(pid, 0)
        finally:
            file.write_text(original)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            _end_children()
        answer = dict(json.loads((Path(data) / "answer.json").read_text()))
        if os.waitstatus_to_exitcode(status) in (-signal.SIGPROF, -signal.SIGALRM):
            answer["ended"] = "time-out"
        if answer["ended"] == "import" and not answer["said"]:
            answer["said"] = (Path(data) / "pytest.log").read_text()[-300:]
        return answer


def _ask(question: dict[str, Any], data: Path) -> None:
    """Run the tests in the forked process. Never returns."""
    code = 1
    try:
        # A process group of its own: a test that kills its group then kills nothing else.
        os.setsid()
        os.environ |= {"ECONEVALS_DATA_DIR": str(data / "data"), "TMPDIR": str(data)}
        tempfile.tempdir = None
        with (data / "pytest.log").open("w") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        limit(PATIENCE)
        questions = Questions(question, data / "answer.json")
        code = int(pytest.main(["--exitfirst", *question["tests"]], plugins=[questions]))
        questions.write()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _end_children() -> None:
    """Kill the processes that a fork left behind."""
    for pid in tree(os.getpid())[1:]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0):
            pass


def main() -> None:
    ctypes.CDLL(None).prctl(BECOME_REAPER, 1)
    answers = os.fdopen(os.dup(1), "w")
    preload()
    with tempfile.TemporaryDirectory(prefix="m.") as folder:
        for line in sys.stdin:
            print(json.dumps(answered(json.loads(line), Path(folder))), file=answers, flush=True)


if __name__ == "__main__":
    main()
