"""What else may befall a site: stopped workers, lost messages, failing providers, databases, disks and clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import need
from tests.faults.breakage import Tools, clock_variables, small_disk
from tests.faults.rig import Torment
from tests.faults.stages import Cluster, Stage, postgres_programs
from tests.faults.sweep import Sweep
from tests.faults.test_many_kills import assert_sound

pytestmark = pytest.mark.long


def test_stopped_workers_and_lost_or_repeated_messages_violate_nothing(expected, tmp_path: Path):
    assert_sound(Torment(8, seed=3, faults=("stop", "broker")).run(Stage.on_sqlite(tmp_path / "site"), expected))


def test_a_provider_that_fails_in_every_way_violates_nothing(expected, tmp_path: Path):
    torment = Torment(6, seed=4, faults=("provider", "kill"))
    assert_sound(torment.run(Stage.on_sqlite(tmp_path / "site"), expected))


def test_a_locked_database_violates_nothing(expected, tmp_path: Path):
    assert_sound(Torment(2, seed=5, faults=("database",)).run(Stage.on_sqlite(tmp_path / "site"), expected))


def test_a_postgres_that_crashes_violates_nothing(expected, tmp_path: Path):
    need("PostgreSQL on this machine", postgres_programs() is not None)
    cluster = Cluster(tmp_path / "cluster")
    try:
        with Stage.on_postgres(tmp_path / "site", cluster.url, cluster) as stage:
            assert_sound(Torment(5, seed=6, faults=("database",)).run(stage, expected))
    finally:
        cluster.close()


def test_a_full_disk_violates_nothing(expected):
    with small_disk() as disk:
        need("A user who may mount a small disk", disk is not None)
        assert_sound(Torment(3, seed=7, faults=("disk",)).run(Stage.on_sqlite(disk / "site"), expected))


def test_a_clock_that_jumps_two_hours_violates_nothing(expected, tmp_path: Path):
    clock = clock_variables(tmp_path)
    need("libfaketime", clock is not None)
    tools = Tools(Path(clock["FAKETIME_TIMESTAMP_FILE"]))
    stage = Stage.on_sqlite(tmp_path / "site", clock=clock)
    assert_sound(Torment(4, seed=8, faults=("clock",), tools=tools).run(stage, expected))


def test_a_kill_at_any_line_of_a_period_violates_nothing(tmp_path: Path):
    assert_sound(Sweep(most=20).run(Stage.on_sqlite(tmp_path / "site"), tmp_path / "calm"))
