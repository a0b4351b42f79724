"""A run is advanced by whoever holds its lease, and nobody else can write to it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.db.models.functions import Now

from runs.engine import lease
from runs.models import Run, RunState

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(launch):
    return launch("random").runs.get()


def lose_sight_of_it() -> None:
    """As if the worker that holds the lease were another process, which stopped."""
    Run.objects.update(lease_until=Now() - timedelta(seconds=1))
    lease.held.clear()


def test_a_queued_run_is_taken_once(run):
    assert lease.take(run.pk) == 1
    assert lease.take(run.pk) is None


BREAK = "INSERT INTO runs_star (user_id, run_id, created_at) VALUES (999999999, NEW.id, '2026-01-01')"
"""A star of nobody; the database notices when it commits."""

BROKEN_COMMITS = {
    "sqlite": [f"CREATE TRIGGER broken AFTER UPDATE ON runs_run BEGIN {BREAK}; END"],
    "postgresql": [
        f"CREATE FUNCTION broken() RETURNS trigger AS $$ BEGIN {BREAK}; RETURN NULL; END $$ LANGUAGE plpgsql",
        "CREATE TRIGGER broken AFTER UPDATE ON runs_run FOR EACH ROW EXECUTE FUNCTION broken()",
    ],
}
WHOLE_COMMITS = {
    "sqlite": ["DROP TRIGGER broken"],
    "postgresql": ["DROP TRIGGER broken ON runs_run", "DROP FUNCTION broken"],
}


@pytest.fixture
def broken_commits(transactional_db):
    """Every commit of a change of a run fails, at the commit and not before."""
    with connection.cursor() as cursor:
        for statement in BROKEN_COMMITS[connection.vendor]:
            cursor.execute(statement)
    yield
    with connection.cursor() as cursor:
        for statement in WHOLE_COMMITS[connection.vendor]:
            cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
def test_a_lease_whose_commit_failed_is_not_held(run, broken_commits):
    with pytest.raises(IntegrityError):
        lease.take(run.pk)
    with pytest.raises(IntegrityError):
        lease.take_next()
    assert not lease.held
    assert Run.objects.get(pk=run.pk).lease_until is None


def test_an_expired_lease_is_taken_over_with_a_higher_fence(run):
    first = lease.take(run.pk)
    lose_sight_of_it()
    assert lease.take(run.pk) == first + 1


def test_leases_that_a_change_of_the_clock_ended_are_left_to_their_holders_for_a_while(run, monkeypatch):
    lease.take(run.pk)
    lose_sight_of_it()
    monkeypatch.setattr(lease, "_clock", lease._clock - 7200)
    assert lease.take(run.pk) is None
    monkeypatch.setattr(lease, "_outage_ended", -1e9)
    assert lease.take(run.pk) == 2


def test_a_worker_that_lost_its_lease_can_write_nothing(run):
    first = lease.take(run.pk)
    lose_sight_of_it()
    lease.take(run.pk)
    with pytest.raises(lease.LeaseLost):
        lease.update(run.pk, first, periods_played=1)
    with pytest.raises(lease.LeaseLost):
        lease.release(run.pk, first, RunState.FINISHED)


def test_a_waiting_run_is_left_alone_until_its_time(run):
    fence = lease.take(run.pk)
    lease.release(run.pk, fence, RunState.WAITING, reason="Busy.", wake_at=Now() + timedelta(hours=1))
    assert lease.take(run.pk) is None
    Run.objects.update(wake_at=Now() - timedelta(seconds=1))
    assert lease.take(run.pk) == fence + 1


@pytest.mark.parametrize(
    "state", [RunState.FINISHED, RunState.CANCELLED, RunState.PAUSED, RunState.STALLED, RunState.ERRORED]
)
def test_a_run_that_is_not_active_is_never_taken(run, state):
    Run.objects.update(state=state)
    assert lease.take(run.pk) is None


def test_a_wish_to_pause_wins_over_the_state_a_slice_leaves(run):
    fence = lease.take(run.pk)
    Run.objects.update(wish="pause", reason="Paused by alice.")
    lease.release(run.pk, fence, RunState.QUEUED)
    run.refresh_from_db()
    assert (run.state, run.reason, run.wish) == (RunState.PAUSED, "Paused by alice.", "")
