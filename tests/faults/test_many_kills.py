"""Sixty kills on SQLite: nothing is lost or needlessly paid twice, and the ledger equals the bill."""

import pytest

from tests.faults.conftest import KILLS

pytestmark = pytest.mark.long


def test_kills_on_sqlite_violate_nothing(assert_endured, sqlite_stage):
    assert_endured(sqlite_stage, KILLS, seed=1)
