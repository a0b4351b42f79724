"""Kills without end on each database: nothing is lost, nothing is paid twice that need not be, the books are the bill."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import REQUIRE_ALL, need
from tests.faults.figures import Outcome
from tests.faults.rig import Torment
from tests.faults.stages import Stage

KILLS = 100 if REQUIRE_ALL else 25
"""All of them where everything is checked; a sample where somebody waits for the tests."""

SERVER = os.environ.get("TEST_DATABASE_URL", "")


def assert_sound(outcome: Outcome) -> None:
    print(f"\n{outcome}")
    assert not outcome.sentences, str(outcome)


def test_kills_on_sqlite_violate_nothing(expected, tmp_path: Path):
    assert_sound(Torment(KILLS, seed=1).run(Stage.on_sqlite(tmp_path / "site"), expected))


def test_kills_on_postgres_violate_nothing(expected, tmp_path: Path):
    need("PostgreSQL (TEST_DATABASE_URL)", bool(SERVER))
    with Stage.on_postgres(tmp_path / "site", SERVER) as stage:
        assert_sound(Torment(KILLS, seed=2).run(stage, expected))
