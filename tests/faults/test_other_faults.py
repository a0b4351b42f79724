"""Other faults than kills: stopped workers, lost messages, failing providers, databases, disks and clocks."""

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import need
from tests.data_folders import ROOT
from tests.faults.breakage import Tools, clock_variables, small_disk
from tests.faults.stages import Cluster, Stage, postgres_programs
from tests.faults.sweep import Sweep

pytestmark = pytest.mark.long

SEARCH = """
from environments.procurement.optimum import solve
from environments.registry import generate

instance = generate("procurement", "MEDIUM", 0, with_reference=False)
print("started", flush=True)
print("proven" if solve(instance).proven else "not proven")
"""


@pytest.mark.parametrize(
    ("faults", "kills", "seed"),
    [
        pytest.param(("stop", "broker"), 8, 3, id="stopped workers, lost and repeated messages"),
        pytest.param(("provider", "kill"), 6, 4, id="a provider that fails in every way"),
        pytest.param(("database",), 2, 5, id="a locked database"),
    ],
)
def test_faults_violate_nothing(assert_endured, sqlite_stage, faults, kills, seed):
    assert_endured(sqlite_stage, kills, seed=seed, faults=faults)


def test_a_postgres_crash_violates_nothing(assert_endured, tmp_path):
    need("PostgreSQL on this machine", postgres_programs() is not None)
    with closing(Cluster()) as own, Stage.on_postgres(tmp_path / "site", own.url, own) as stage:
        assert_endured(stage, 5, seed=6, faults=("database",))


def test_a_full_disk_violates_nothing(assert_endured):
    with small_disk() as disk:
        need("A user who may mount a small disk", disk is not None)
        assert_endured(Stage.on_sqlite(disk / "site"), 3, seed=7, faults=("disk",))


def test_a_clock_jump_of_two_hours_violates_nothing(assert_endured, tmp_path):
    clock = clock_variables(tmp_path)
    need("libfaketime", clock is not None)
    stage = Stage.on_sqlite(tmp_path / "site", clock=clock)
    assert_endured(stage, 4, seed=8, faults=("clock",), tools=Tools(Path(clock["FAKETIME_TIMESTAMP_FILE"])))


def test_a_clock_jump_does_not_shorten_the_search_for_an_optimum(tmp_path):
    clock = clock_variables(tmp_path)
    need("libfaketime", clock is not None)
    tools = Tools(Path(clock["FAKETIME_TIMESTAMP_FILE"]))
    command = [sys.executable, "-c", SEARCH]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | clock, stdout=subprocess.PIPE, text=True) as search:
        assert search.stdout.readline() == "started\n"
        for hours in (2, 4, 6):
            time.sleep(0.1)
            tools.change_clock(f"+{hours}h")
        assert search.stdout.read() == "proven\n"


def test_a_kill_at_any_line_of_a_period_violates_nothing(sqlite_stage, tmp_path):
    outcome = Sweep(most=20).run(sqlite_stage, tmp_path / "calm")
    assert not outcome.sentences, str(outcome)
