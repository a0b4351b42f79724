"""The limiter while the broker is away, and after the broker lost its state."""

import os
import signal
import time

import pytest

import limiter
from limiter import CallResult, Limiter, Limits, Pace, Status
from tests.runs.limiter_server import ANY, KEY, Server, crowd, eventually, fail, impatient, now, refusal, took

QUICK = {"away_seconds": 0.2, "socket_seconds": 0.3}


@pytest.fixture
def server():
    server = Server(own=True)
    yield server
    server.close()


def test_the_project_uses_one_limiter_at_its_broker(server, settings):
    settings.BROKER_URL = server.url
    with limiter.acquire(KEY, ANY, 100, lambda: False):
        limiter.renew()
        assert limiter.status([KEY])[KEY] == Status(1, 8, 0.0, "", False)
    limiter.reset(KEY)


def test_losing_the_state_only_makes_it_careful(server):
    limiter = impatient(server)
    slots = [limiter.acquire(KEY, ANY) for _ in range(8)]
    server.client.execute_command("FLUSHDB")
    server.client.execute_command("SCRIPT", "FLUSH")
    assert now(limiter).in_flight == 0
    limiter.renew()
    assert now(limiter) == Status(8, 8, 0.0, "", False)
    refusal(limiter)
    server.client.execute_command("FLUSHDB")
    for slot in slots:
        slot.done(CallResult.OK)
    assert now(limiter) == Status(0, 8, 0.0, "", False)


def test_renewed_slots_last_and_those_of_a_process_that_died_come_free(server):
    pace, limits = Pace(slot_seconds=1.0), Limits(concurrency=2)
    kept, lost = Limiter(server.url, pace), Limiter(server.url, pace)
    slots = [kept.acquire(KEY, ANY), kept.acquire(KEY + 1, ANY), lost.acquire(KEY, ANY)]
    for _ in range(4):
        time.sleep(0.3)
        kept.renew()
    assert [status.in_flight for status in kept.status([KEY, KEY + 1]).values()] == [1, 1]
    # A call that waits gets the place too.
    slots.append(lost.acquire(KEY, limits))
    assert took(lambda: kept.acquire(KEY, limits).done(CallResult.OK)) < 5
    del slots


def test_without_a_broker_a_process_makes_four_calls_at_once(server):
    limiter = impatient(server)
    server.kill()
    slots = [limiter.acquire(KEY, ANY) for _ in range(4)]
    assert "allows 4 calls at once" in refusal(limiter).reason
    assert limiter.status([KEY]) == {}
    limiter.renew()
    limiter.reset(KEY)
    slots[0].done(CallResult.OK)
    limiter.acquire(KEY, ANY).done(CallResult.OK)


def test_a_broker_that_comes_back_learns_of_the_calls_in_flight(server):
    limiter = impatient(server, **QUICK)
    slots = [limiter.acquire(KEY, ANY) for _ in range(3)]
    server.kill()
    slots.append(limiter.acquire(KEY, ANY))
    server.start()
    time.sleep(0.2)
    limiter.renew()
    assert now(limiter).in_flight == 4
    for slot in slots:
        slot.done(CallResult.OK)
    assert now(limiter).in_flight == 0


@pytest.mark.parametrize("before", [True, False])
def test_a_retry_after_heard_before_or_during_an_outage_holds_all_processes_after_it(server, before):
    limiter = impatient(server, **QUICK)
    slot = limiter.acquire(KEY, ANY)
    if not before:
        server.kill()
    slot.done(CallResult.LIMITED, retry_after=30)
    server.kill()
    assert 20 < refusal(limiter).seconds <= 30
    server.start()
    time.sleep(1.1)
    refusal(limiter)
    assert 20 < now(Limiter(server.url)).held_for < 29.5


def test_ten_failures_during_an_outage_hold_the_key(server):
    limiter = impatient(server, **QUICK)
    server.kill()
    fail(limiter, 10)
    held = refusal(limiter)
    assert 8 < held.seconds <= 15


def test_the_owners_rate_is_kept_during_an_outage(server):
    limiter = Limiter(server.url)
    server.kill()
    limits = Limits(requests_per_minute=300)
    assert 0.5 < took(lambda: [limiter.acquire(KEY, limits).done(CallResult.OK) for _ in range(4)]) < 5


def test_a_broker_that_hangs_costs_one_time_out_not_one_per_call(server):
    limiter = Limiter(server.url, Pace(socket_seconds=0.3))
    limiter.acquire(KEY, ANY).done(CallResult.OK)
    os.kill(server.process.pid, signal.SIGSTOP)
    assert took(lambda: [limiter.acquire(KEY, ANY).done(CallResult.OK) for _ in range(50)]) < 5
    os.kill(server.process.pid, signal.SIGCONT)


def test_threads_that_wait_go_on_through_an_outage(server):
    limiter = Limiter(server.url, Pace(**QUICK))
    limits = Limits(concurrency=2)
    ended = []

    def call():
        with limiter.acquire(KEY, limits) as slot:
            time.sleep(0.1)
            slot.done(CallResult.OK)
        ended.append(slot.token)

    threads = crowd(30, call)
    time.sleep(0.4)
    server.kill()
    time.sleep(0.4)
    server.start()
    for thread in threads:
        thread.join(30)
    assert len(set(ended)) == 30
    limiter.renew()
    eventually(lambda: now(limiter).in_flight == 0)
