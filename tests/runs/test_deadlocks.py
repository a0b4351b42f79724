"""On PostgreSQL our transactions do not deadlock, and a deadlock caused by another program costs no paid reply."""

from contextlib import suppress
from datetime import date

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now

from accounts.deletions import kinds
from accounts.services.deletions import row_remove
from analysis.notes.models import IndexedRun
from analysis.notes.search.indexing import index_some, register_runs
from infrastructure.transactions import lock_row, lock_rows, write_transaction
from runs.engine import lease
from runs.engine.heartbeat import renew_leases
from runs.engine.writing.budget_accounts import Accounts, open_months
from runs.engine.writing.entries import Settlement
from runs.engine.writing.group_commit import GroupCommit
from runs.models import Exchange, Experiment, MonthlySpend, Note, Run
from runs.services import experiment_delete, runs_control
from tests.cast import exchange_of, settled
from tests.crossing import crossing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def experiment(launch):
    """Two leased runs."""
    experiment = launch("random", seeds=(0, 1))
    for run in experiment.runs.order_by("id"):
        lease.take(run.pk)
    return experiment


@pytest.fixture
def older(experiment):
    return experiment.runs.earliest("id")


@pytest.fixture
def newer(experiment):
    return experiment.runs.latest("id")


@pytest.fixture
def beside_a_worker(older, newer):
    """Do something while a worker writes entries of both runs; it has locked the older one and comes to the newer one."""

    def beside(act):
        # The row moves, also in the indexes, so that statements without an order come to the newer one first.
        Run.objects.filter(pk=older.pk).update(wake_at=Now())
        return crossing(lambda: Accounts([older.pk], ()), act, lambda: Accounts([newer.pk], ()))

    return beside


def test_rows_that_refer_to_runs_are_inserted_beside_a_worker(older, newer, beside_a_worker):
    place = {"period_index": 0, "seat": "seat_0", "order": 0, "text": "Prices rise."}

    def insert():
        with write_transaction():
            Note.objects.bulk_create(Note(run=run, **place) for run in (newer, older))

    beside_a_worker(insert)
    assert Note.objects.count() == 2


def test_the_heartbeat_renews_leases_beside_a_worker(experiment, beside_a_worker):
    Run.objects.update(lease_until=None)
    beside_a_worker(renew_leases)
    assert not Run.objects.filter(lease_until=None).exists()


@pytest.mark.parametrize("action", ["pause", "resume", "cancel"])
def test_people_stop_and_resume_runs_beside_a_worker(experiment, alice, beside_a_worker, action):
    if action == "resume":
        Run.objects.update(stop_request="pause")
    beside_a_worker(lambda: runs_control(runs=experiment.runs.all(), action=action, user=alice))
    assert set(experiment.runs.values_list("stop_request", flat=True)) == {"" if action == "resume" else action}


def test_resume_skips_a_run_that_pauses_while_other_runs_are_locked(experiment, alice, older, newer):
    Run.objects.filter(pk=older.pk).update(state="queued")
    Run.objects.filter(pk=newer.pk).update(state="paused")
    resumed = crossing(
        lambda: lock_row(Run, newer.pk),
        lambda: runs_control(runs=experiment.runs.all(), action="resume", user=alice),
        lambda: Run.objects.filter(pk=older.pk).update(state="paused"),
    )
    # On SQLite it looks for runs only after the other transaction.
    assert resumed == (1 if connection.vendor == "postgresql" else 2)


def test_two_workers_write_the_search_index_of_the_same_runs(experiment, older, newer):
    experiment.runs.update(state="finished", periods_played=1)
    register_runs()
    # The row moves, so that a query without an order comes to the newer run first.
    Run.objects.filter(pk=older.pk).update(wake_at=Now())
    crossing(
        lambda: lock_rows(IndexedRun.objects.filter(run=older)),
        lambda: index_some(0),
        lambda: lock_rows(IndexedRun.objects.filter(run=newer)),
    )
    assert IndexedRun.objects.filter(periods=1).count() == 2


def test_an_experiment_is_deleted_beside_a_worker(experiment, beside_a_worker):
    beside_a_worker(lambda: experiment_delete(experiment=experiment))
    assert not Run.objects.exists()


def test_an_experiment_is_removed_beside_a_late_reply(experiment, older):
    experiment_delete(experiment=experiment)
    crossing(
        lambda: lock_row(Run, older.pk),
        lambda: row_remove(kind=kinds["experiment"], row=experiment, deleted_before=experiment.deleted_at),
        lambda: lock_row(Experiment, experiment.pk),
    )
    assert not Run.with_deleted.exists()


def test_workers_open_monthly_accounts_in_the_same_order(organization, alice):
    keys = [(organization.pk, user, date(2026, 5, 1)) for user in (alice.pk, None)]
    crossing(lambda: open_months(keys[1:]), lambda: open_months(keys), lambda: open_months(keys[:1]))
    assert MonthlySpend.objects.count() == 2


def test_a_reply_is_stored_and_booked_once_after_a_deadlock(older):
    """The other session is one that does not keep our order, such as a database tool of the operator."""
    commits, exchange = GroupCommit(), exchange_of(older)
    commits.intend(older.pk, older.fence, exchange)

    # PostgreSQL ends whichever waits longer, nearly always the settlement.
    with suppress(OperationalError):
        crossing(
            lambda: lock_row(MonthlySpend, MonthlySpend.objects.get(user=None).pk),
            lambda: commits.settle(Settlement(older.pk, older.fence, settled(exchange, 40))),
            lambda: lock_row(Run, older.pk),
        )
    assert list(Exchange.objects.values_list("state", "cost_nano")) == [("replied", 40)]
    accounts = [*Run.objects.filter(pk=older.pk), *Experiment.objects.all(), *MonthlySpend.objects.all()]
    assert {(account.cost_nano, account.reserved_nano) for account in accounts} == {(40, 0)}
