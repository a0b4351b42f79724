"""Sixty kills on PostgreSQL, in a file of its own: another process of the tests plays those on SQLite meanwhile."""

import pytest

from tests.faults.conftest import KILLS

pytestmark = pytest.mark.long


def test_kills_on_postgres_violate_nothing(postgres_stage, assert_endured):
    assert_endured(postgres_stage, KILLS, seed=2)
