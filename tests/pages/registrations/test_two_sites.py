"""A study from its file to its report by the command, a process that is killed, and the reproduction on a second site."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.data_folders import ROOT
from tests.pages.registrations.conftest import STUDY
from tests.waiting import patience

pytestmark = pytest.mark.long

KILLED = """
import os, signal, sys
from econevals_site import command_line
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "econevals_site.settings"
django.setup()
from pages.registrations.models import RegisteredLaunch
create = type(RegisteredLaunch.objects).create
def killed(manager, **values):
    if manager.model is RegisteredLaunch and values["number"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return create(manager, **values)
type(RegisteredLaunch.objects).create = killed
sys.exit(command_line.main(sys.argv[1:]))
"""
"""The program of the command, which is killed between the second experiment of a study and its link, before the commit."""


@pytest.fixture
def site(tmp_path):
    """`site("first")` calls the program on a data folder of this name; `killed` kills it."""

    def at(name):
        def call(*words, killed=False):
            program = ["-c", KILLED] if killed else ["-m", "econevals_site"]
            variables = {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "ECONEVALS_DATA_DIR": str(tmp_path / name),
            }
            return subprocess.run(
                [sys.executable, "-P", *program, *map(str, words)],
                cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=patience(),
            )  # fmt: skip

        return call

    return at


def test_a_killed_study_goes_on_and_a_second_site_reproduces_its_tables(site, tmp_path):
    file, out = tmp_path / "study.yaml", tmp_path / "out"
    more = "  - {environments: [scheduling], difficulties: [BASIC], seeds: 0, agents: [random], periods: 2}\n"
    file.write_text(STUDY.replace("questions:", f"{more}questions:"))
    first, second = site("first"), site("second")
    assert first("study", file, killed=True).returncode == -signal.SIGKILL
    done = first("study", file, "--wait", "--output", out, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["state"], printed["deviations"]) == ("complete", [])
    # The experiment of the killed process was linked or never there.
    assert printed["experiments"] == [1, 2]
    again = json.loads(first("study", file, "--wait", "--json").stdout)
    assert again["experiments"] == [1, 2] and again["answers"] == printed["answers"]
    (archive,) = out.glob("study-*.zip")
    assert len(list(out.glob("study-*.html"))) == 1
    reproduced = second("study", "--reproduce", archive)
    assert reproduced.returncode == 0 and "differs" not in reproduced.stdout, reproduced.stdout
    assert "tables/answers.csv: same" in reproduced.stdout
    assert not list((tmp_path / "second").glob("*.sqlite3*"))
