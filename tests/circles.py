"""The circles of tests, which the options of pytest name, and what each test cost.

--circle inner: what everybody runs. No service, no site but that of the smoke test.
--circle outer: the rest. --part N of twelfths leaves the other eleven out.
--circle everything: both; --done FILE leaves out what passed according to an earlier cost file.
"""

import json
import os
import resource
import time
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

PARTS = 12
OUTER_FOLDERS = ("browser", "deployment", "faults")
"""Folders whose tests need a browser or break whole sites."""

OUTER_FIXTURES = {"site", "inspect", "inspected"}
"""Fixtures that start a site or need Inspect AI."""

SMOKE = "test_smoke.py"
"""The one file of an outer folder that belongs to the inner circle."""

CIRCLES = ("inner", "outer", "everything")


def pytest_addoption(parser):
    group = parser.getgroup("circles")
    group.addoption("--circle", choices=CIRCLES, default="", help="which tests to run; all that are named without it")
    group.addoption("--part", type=int, help=f"of the outer circle, only this part of {PARTS}, from 0")
    group.addoption("--share", help="I/N: only the I-th of N shares of the files, from 0")
    group.addoption("--costs", type=Path, help="append a line of JSON for each test: its outcome and seconds")
    group.addoption("--done", type=Path, help="leave out the tests that passed according to this cost file")


def pytest_ignore_collect(collection_path, config):
    """Do not even import files whose tests are all left out."""
    path = collection_path
    if not path.name.startswith("test_") or path.suffix != ".py":
        return None
    if config.getoption("circle") == "inner" and path.parent.name in OUTER_FOLDERS and path.name != SMOKE:
        return True
    if share := config.getoption("share"):
        index, shares = map(int, share.split("/"))
        files = _test_files()
        return files.index(path) % shares != index or None
    return None


@cache
def _test_files():
    return sorted(Path(__file__).parent.rglob("test_*.py"))


def pytest_collection_modifyitems(config, items):
    chosen = _chosen(config, items)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _chosen(config, items):
    """The items of the circle and part that the options name."""
    circle, part, done = (config.getoption(name) for name in ("circle", "part", "done"))
    outer = _outer(items)
    if circle == "inner":
        return set(items) - outer
    chosen = outer if circle == "outer" else set(items)
    if part is not None:
        chosen &= _parts(outer)[part]
    passed = {line["test"] for line in lines(done) if line["outcome"] == "passed"} if done else set()
    return {item for item in chosen if item.nodeid not in passed}


def _outer(items):
    """The tests of outer folders, those marked long or with an outer fixture; of a sampled test all cases but one."""
    sampled = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("long"):
            sampled.setdefault(item.nodeid.partition("[")[0], []).append(item)
    cases = {id(case) for group in sampled.values() for case in sorted(group, key=_lot)[1:]}
    return {item for item in items if item.path.name != SMOKE and (_is_outer(item) or id(item) in cases)}


def _is_outer(item):
    in_folder, in_fixtures = item.path.parent.name in OUTER_FOLDERS, not OUTER_FIXTURES.isdisjoint(item.fixturenames)
    return in_folder or in_fixtures or item.get_closest_marker("long") is not None


def _lot(item):
    return crc32(item.nodeid.encode())


def _parts(items):
    """The items in twelfths. The tests of a file stay together, since they share a site, unless they are marked spread."""
    units = {}
    for item in items:
        name = item.nodeid if item.get_closest_marker("spread") else item.nodeid.partition("::")[0]
        units.setdefault(name, set()).add(item)
    parts = [set() for _ in range(PARTS)]
    # In the order of names each folder has its share in every part.
    for index, name in enumerate(sorted(units)):
        parts[index % PARTS] |= units[name]
    return parts


def lines(costs):
    """The last line of each test in a cost file; empty without a file."""
    written = costs.read_text().splitlines() if costs.exists() else []
    return list({line["test"]: line for line in map(json.loads, written)}.values())


def pytest_sessionfinish(session):
    """If every test passed before, no test is left to run, which is not a failure."""
    done = session.config.getoption("done")
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and done and lines(done):
        session.exitstatus = pytest.ExitCode.OK


def processor_seconds():
    """CPU seconds of this process and of its ended children."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Append what the test cost, its fixtures included. Workers of one run append to one file, a line at a time."""
    costs = item.config.getoption("costs")
    if costs is None:
        return (yield)
    before, began = processor_seconds(), time.monotonic()
    item.outcomes = set()
    result = yield
    outcome = next((name for name in ("failed", "skipped") if name in item.outcomes), "passed")
    line = {"test": item.nodeid, "outcome": outcome}
    line |= {"cpu": round(processor_seconds() - before, 3), "wall": round(time.monotonic() - began, 3)}
    with os.fdopen(os.open(costs, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
        file.write(json.dumps(line) + "\n")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if hasattr(item, "outcomes"):
        item.outcomes.add(report.outcome)
    return report
