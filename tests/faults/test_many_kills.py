"""A hundred kills on SQLite: nothing is lost, nothing is paid twice that need not be, the books are the bill."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.figures import Outcome
from tests.faults.rig import Torment
from tests.faults.stages import Stage

pytestmark = pytest.mark.long

KILLS = 100


def assert_sound(outcome: Outcome) -> None:
    print(f"\n{outcome}")
    assert not outcome.sentences, str(outcome)


def test_kills_on_sqlite_violate_nothing(expected, tmp_path: Path):
    assert_sound(Torment(KILLS, seed=1).run(Stage.on_sqlite(tmp_path / "site"), expected))
