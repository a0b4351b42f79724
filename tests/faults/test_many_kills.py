"""Sixty kills on SQLite: nothing is lost, nothing is paid twice that need not be, the books are the bill."""

import pytest

from tests.faults.conftest import KILLS

pytestmark = pytest.mark.long


def test_kills_on_sqlite_violate_nothing(assert_endured, sqlite_stage):
    assert_endured(sqlite_stage, KILLS, seed=1)
