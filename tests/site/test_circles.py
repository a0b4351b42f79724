"""The circles of tests: which tests an option selects, and which tests are not repeated."""

import json
import os
import subprocess
import sys

import pytest

from tests.circles import PARTS
from tests.data_folders import ROOT

QUICK = "def test_quick(): pass\n"
LONG = "import pytest\npytestmark = pytest.mark.long\n\n\n"
FAILS_ONCE = """
from pathlib import Path


def test_fails_once():
    mark = Path(__file__).with_suffix(".mark")
    before = mark.exists()
    mark.touch()
    assert before
"""


@pytest.fixture
def asked(tmp_path):
    """Run the files of a folder in a circle; return (test, outcome) of each test that was asked this time."""
    costs = tmp_path / "costs.jsonl"

    def asked(*options):
        before = costs.read_text() if costs.exists() else ""
        command = [sys.executable, "-m", "pytest", "-p", "tests.circles", "-p", "no:django", "-p", "no:playwright"]
        command += ["-c", os.devnull, "--rootdir", tmp_path, "--costs", costs, *options, tmp_path]
        run = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        assert run.returncode in (0, 1, 5), run.stdout + run.stderr
        written = costs.read_text()[len(before) :] if costs.exists() else ""
        lines = map(json.loads, written.splitlines())
        return {line["test"].partition("::")[2]: line["outcome"] for line in lines}, run.returncode

    return asked


@pytest.mark.long
def test_an_interrupted_run_of_everything_resumes(asked, tmp_path):
    (tmp_path / "test_all.py").write_text(QUICK + FAILS_ONCE)
    everything = ("--circle", "everything", "--done", tmp_path / "costs.jsonl")
    assert asked(*everything) == ({"test_quick": "passed", "test_fails_once": "failed"}, 1)
    assert asked(*everything) == ({"test_fails_once": "passed"}, 0)
    assert asked(*everything) == ({}, 0)


@pytest.mark.long
def test_each_test_belongs_to_the_inner_circle_or_to_a_single_part(asked, tmp_path):
    tests = "".join(f"def test_{number}(): pass\n" for number in range(20))
    (tmp_path / "test_quick.py").write_text(QUICK)
    (tmp_path / "test_together.py").write_text(LONG + tests.replace("test_", "test_together_"))
    (tmp_path / "test_spread.py").write_text(LONG + tests.replace("def", "@pytest.mark.spread\ndef"))
    inner, _ = asked("--circle", "inner")
    parts = [set(asked("--circle", "outer", "--part", str(part))[0]) for part in range(PARTS)]
    assert set(inner) == {"test_quick"}
    assert sum(map(len, parts)) == len(set().union(*parts)) == 40
    assert {sum("together" in test for test in part) for part in parts} == {0, 20}
    assert all(any("together" not in test for test in part) for part in parts)
