"""Only the worker that holds the lease of a run can write to it."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.db.models import F
from django.db.models.functions import Now

from runs import events, tasks
from runs.engine import heartbeat, lease
from runs.engine.advance import play_held
from runs.engine.exceptions import LeaseLost
from runs.models import Run, RunState
from runs.tasks import advance_one


def expire_lease():
    """Simulates a lease of another process that stopped."""
    Run.objects.update(lease_until=Now() - timedelta(seconds=1))
    lease.held.clear()


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


def test_a_run_leased_during_a_database_outage_is_not_held(run, monkeypatch):
    def away(execute, *words):
        if lease.held:
            raise OperationalError
        return execute(*words)

    monkeypatch.setattr(lease, "_outage_ended", lease._outage_ended)
    with connection.execute_wrapper(away):
        assert advance_one()
    assert Run.objects.get(pk=run.pk).state == RunState.RUNNING
    assert not lease.held


def test_a_run_has_a_single_leaseholder_and_an_expired_lease_can_be_taken(run):
    assert [lease.take(run.pk), lease.take(run.pk)] == [1, None]
    expire_lease()
    assert lease.take(run.pk) == 2
    with pytest.raises(LeaseLost):
        lease.release(run.pk, 1, RunState.FINISHED)


def test_a_lease_renewed_too_late_is_logged(launch, settings, caplog):
    launch("random", seeds=(0, 1))
    for _ in range(2):
        lease.take_next()
    heartbeat.renew_leases()
    assert not caplog.messages
    first, second = sorted(lease.held)
    lease.held[second].since -= settings.LEASE_SECONDS
    heartbeat.renew_leases()
    heartbeat.renew_leases()
    assert [message.rpartition(": ")[2] for message in caplog.messages] == ["{}/{}".format(*second)]
    caplog.clear()
    # The other one is lost before it is renewed.
    lease.held[first].since -= settings.LEASE_SECONDS
    Run.objects.filter(pk=first[0]).update(fence=F("fence") + 1)
    play_held(*first)
    assert caplog.messages[0].endswith(": {}/{}".format(*first))


def test_leases_expired_by_a_clock_change_stay_with_their_holders_for_a_while(run, monkeypatch):
    lease.take(run.pk)
    expire_lease()
    monkeypatch.setattr(lease, "_clock", lease._clock - 7200)
    assert lease.take(run.pk) is None
    monkeypatch.setattr(lease, "_outage_ended", -1e9)
    assert lease.take(run.pk) == 2


def test_a_waiting_run_cannot_be_leased_before_its_wake_up_time(run):
    fence = lease.take(run.pk)
    lease.release(run.pk, fence, RunState.WAITING, reason="Busy.", wake_at=Now() + timedelta(hours=1))
    assert lease.take(run.pk) is None
    Run.objects.update(wake_at=Now() - timedelta(seconds=1))
    assert lease.take(run.pk) == fence + 1


def test_every_twelfth_sweep_also_does_the_infrequent_work(monkeypatch):
    swept = []
    monkeypatch.setattr(tasks, "_sweeps", count())
    monkeypatch.setattr(events, "sweeping", events.Event([lambda: swept.append("often")]))
    monkeypatch.setattr(events, "sweeping_seldom", events.Event([lambda: swept.append("seldom")]))
    for _ in range(13):
        tasks.sweep()
    assert (swept.count("often"), swept.count("seldom")) == (13, 2)
