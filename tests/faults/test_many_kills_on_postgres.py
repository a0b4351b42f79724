"""A hundred kills on PostgreSQL, in a file of its own: another process of the tests plays those on SQLite meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import need
from tests.faults.rig import Torment
from tests.faults.stages import Stage
from tests.faults.test_many_kills import KILLS, assert_sound

pytestmark = pytest.mark.long

SERVER = os.environ.get("TEST_DATABASE_URL", "")


def test_kills_on_postgres_violate_nothing(expected, tmp_path: Path):
    need("PostgreSQL (TEST_DATABASE_URL)", bool(SERVER))
    with Stage.on_postgres(tmp_path / "site", SERVER) as stage:
        assert_sound(Torment(KILLS, seed=2).run(stage, expected))
