"""Stages of sites under faults, and the export without faults."""

import os

import pytest

from tests.conftest import need
from tests.faults.rig import CI, Torment, undisturbed
from tests.faults.stages import Stage

KILLS = 60
"""Of one torment in the tests."""


@pytest.fixture(scope="session")
def expected(tmp_path_factory):
    """The export of a batch of runs without faults."""
    return undisturbed(tmp_path_factory.mktemp("calm"), CI.size)


@pytest.fixture
def sqlite_stage(tmp_path):
    return Stage.on_sqlite(tmp_path / "site")


@pytest.fixture
def postgres_stage(tmp_path):
    server = os.environ.get("TEST_DATABASE_URL", "")
    need("PostgreSQL (TEST_DATABASE_URL)", bool(server))
    with Stage.on_postgres(tmp_path / "site", server) as stage:
        yield stage


@pytest.fixture
def assert_endured(expected):
    """`assert_endured(stage, kills, ...)` torments a site, and no invariant is violated; options as of Torment."""

    def assert_endured(stage, kills, **options):
        outcome = Torment(kills, say=print, **options).run(stage, expected)
        print(f"\n{outcome}")
        assert not outcome.sentences, str(outcome)

    return assert_endured
