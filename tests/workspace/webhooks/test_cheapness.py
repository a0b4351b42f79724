"""Webhooks add no query to model calls, and one query to runs that end."""

import threading
import time
from collections import Counter
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.writing.entries import Intent, Settlement, write
from runs.models import Exchange, RunState
from tests.at_once import at_once
from tests.waiting import wait_until
from tests.workspace.webhooks.receiver import Respond
from workspace.webhooks.delivery.dispatcher import MOST_PER_ORGANIZATION, Dispatcher
from workspace.webhooks.models import Delivery

TABLES = ("runs_webhook", "runs_event", "runs_delivery")


def touching_webhooks(queries):
    return sum(any(table in query["sql"] for table in TABLES) for query in queries.captured_queries)


def look_until_all_are_sent(dispatchers):
    def all_are_sent():
        at_once(*[dispatcher.look for dispatcher in dispatchers])
        return not Delivery.objects.filter(state="waiting").exists()

    wait_until(all_are_sent, lambda: f"Waiting: {Delivery.objects.filter(state='waiting').count()}", every=0.02)
    for dispatcher in dispatchers:
        dispatcher._pool.shutdown()


def intent_and_settlement(run, fence, place):
    """The queries of one call's two transactions."""
    call = {"period_index": 0, "seat": "seat_0", "attempt": 0, "step": place}
    exchange = Exchange(run_id=run.pk, fence=fence, reserved_nano=5, **call)
    with CaptureQueriesContext(connection) as queries:
        write([Intent(run.pk, fence, exchange)])
        exchange.state, exchange.cost_nano = "replied", 3
        write([Settlement(run.pk, fence, exchange)])
    assert touching_webhooks(queries) == 0
    return len(queries)


def test_a_call_takes_the_same_queries_with_and_without_webhooks(launch, request):
    run = launch("gpt-5").runs.get()
    fence = lease.take(run.pk)
    intent_and_settlement(run, fence, 0)  # opens the month
    without = intent_and_settlement(run, fence, 1)
    request.getfixturevalue("hook")
    assert intent_and_settlement(run, fence, 2) == without


def test_only_a_run_that_ends_takes_a_query_for_webhooks(launch):
    first, second = launch("random", seeds=(0, 1)).runs.all()
    fence = lease.take(first.pk)
    with CaptureQueriesContext(connection) as queries:
        lease.release(first.pk, fence, RunState.QUEUED)
    assert touching_webhooks(queries) == 0
    fence = lease.take(second.pk)
    with CaptureQueriesContext(connection) as queries:
        lease.release(second.pk, fence, RunState.STALLED)
    assert touching_webhooks(queries) == 1


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_slow_receivers_use_a_limited_number_of_dispatcher_threads(hook, played, receiver):
    played("random", seeds=tuple(range(6)))
    at_once, most, lock = Counter(), [0], threading.Lock()

    def slow(got):
        with lock:
            at_once["now"] += 1
            most[0] = max(most[0], at_once["now"])
        time.sleep(0.1)
        with lock:
            at_once["now"] -= 1
        return Respond()

    receiver.script = slow
    look_until_all_are_sent([Dispatcher()])
    assert len(receiver.got) == 7 and 1 < most[0] <= MOST_PER_ORGANIZATION


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_dispatchers_send_each_message_once(hook, played, receiver):
    played("random", seeds=tuple(range(8)))
    look_until_all_are_sent([Dispatcher(), Dispatcher()])
    assert len(receiver.got) == len({got.json["id"] for got in receiver.got}) == 9


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_last_runs_finish_their_experiment_once(hook, launch, event_kinds):
    for seed in range(5):
        experiment = launch("random", seeds=(2 * seed, 2 * seed + 1), periods=1)
        at_once(*[partial(advance, run.pk) for run in experiment.runs.all()])
        assert event_kinds().count("experiment.finished") == seed + 1
        assert event_kinds().count("run.finished") == 2 * (seed + 1)
