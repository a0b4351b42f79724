"""Sixty kills on PostgreSQL, in a separate file so that it runs in parallel with the kills on SQLite."""

import pytest

from tests.faults.conftest import KILLS

pytestmark = pytest.mark.long


def test_kills_on_postgres_violate_nothing(postgres_stage, assert_endured):
    assert_endured(postgres_stage, KILLS, seed=2)
