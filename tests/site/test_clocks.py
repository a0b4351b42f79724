"""No test has its own limit of wall time: tests/waiting.py and tests/yardstick.py have them all."""

import ast
import re
from functools import cache

import pytest

from tests.data_folders import ROOT

CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "time"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS}

OWN = {"tests/waiting.py", "tests/yardstick.py"}
READERS = {
    "tests/emulators/batches.py": "the moment at which a batch was made, which clients read",
    "tests/__main__.py": "prints how long a circle took",
    "tests/budget.py": "measures the machine",
    "tests/circles.py": "notes what each test cost",
    "tests/accounts/identity_provider.py": "writes the time into its tokens",
    "tests/accounts/steps.py": "waits for a code that lasts some seconds more",
    "tests/faults/live.py": "notes when runs went on, to be compared with what the provider noted",
    "tests/faults/nemesis.py": "asks whether leases ran out, which they do by the wall clock",
    "tests/faults/overshoot.py": "prints how long its trials took",
    "tests/faults/rig.py": "prints how long the torment took",
    "tests/faults/stub_bill.py": "notes when calls came and until when it told them to wait",
    "tests/faults/sweep.py": "prints how long the sweep took",
    "tests/faults/test_backups.py": "spreads kills over the time that a restore took",
    "tests/stub_provider.py": "notes when requests came",
    "tests/workspace/webhooks/test_signature.py": "signs with an old time",
}
"""Files that read a clock for something other than a limit."""

SUBJECTS = {
    "tests/faults/books.py": "tried again with the patience of the tests",
    "tests/faults/live.py": "tried again with the patience of the tests",
    "tests/faults/test_backups.py": "asks whether a lock is held just now",
    "tests/runs/test_limiter_processes.py": "waits in vain for a moment",
    "tests/security/known_flaws.py": "goes on without an index that does not answer",
}
"""Files whose time-outs are short because what is asked then is asked again, or is the question."""


MAY = re.compile(r"\btime\.|\bimport\b.*\btime\b|timeout|\.(?:wait|join)\([0-9]")


def clocks(tree):
    """The lines that read a clock, and those that take one from its module by name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name("time"), attr=name) if name in CLOCKS:
                yield node.lineno
            case ast.ImportFrom(module="time", names=names) if CLOCKS & {alias.name for alias in names}:
                yield node.lineno


def time_outs(tree):
    """The lines that give a number as a time-out instead of a patience."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str() as name, value=ast.Constant(int() | float())) if name.endswith("timeout"):
                yield node.value.lineno
            case ast.Call(
                func=ast.Attribute(attr="wait" | "join" | "settimeout"), args=[ast.Constant(int() | float())]
            ):
                yield node.lineno


@cache
def sources():
    """The files that may have such a line; to parse all of them would take long."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("tests/**/*.py")))
    return {str(path.relative_to(ROOT)): ast.parse(text) for path, text in texts if MAY.search(text)}


@pytest.mark.parametrize(("lines", "excused"), [(clocks, READERS), (time_outs, SUBJECTS)])
def test_tests_take_time_limits_only_from_waiting_and_yardstick(lines, excused):
    where = {file: list(lines(tree)) for file, tree in sources().items()}
    assert [f"{file}:{line}" for file in where if file not in OWN | excused.keys() for line in where[file]] == []
    assert not [file for file in excused if not where.get(file)], "these need no excuse"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import time\nassert time.monotonic() - began < 2", 1),
        ("from time import perf_counter", 1),
        ("import time\ntime.sleep(1)\nassert row.time < 3", 0),
    ],
)
def test_the_check_detects_a_clock(source, count):
    assert len([*clocks(ast.parse(source))]) == count


@pytest.mark.parametrize(
    ("source", "count"),
    [("expect(page).to_be_visible(timeout=90_000)", 1), ("thread.join(20)", 1), ("run(timeout=patience())", 0)],
)
def test_the_check_detects_a_time_out(source, count):
    assert len([*time_outs(ast.parse(source))]) == count
