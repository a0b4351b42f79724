"""The limiter while the broker is away, and after the broker lost its state."""

import os
import signal
import time

import pytest

from infrastructure import limiter
from infrastructure.limiter import CallResult, Limiter, Limits, Pace, Status
from tests.runs.limiter_server import ANY, KEY, Server, crowd, fail, impatient, now, patient, refusal
from tests.waiting import patience, took, wait_until

QUICK = {"away_seconds": 0.2}


@pytest.fixture
def server():
    server = Server(own=True)
    yield server
    server.close()


def test_the_project_uses_a_shared_limiter_at_its_broker(server, settings):
    settings.BROKER_URL = server.url
    with limiter.acquire(KEY, ANY, 100, lambda: False):
        limiter.renew()
        assert limiter.status([KEY])[KEY] == Status(1, 8, 0.0, "", False)
    limiter.reset(KEY)


def test_a_limiter_that_lost_its_state_stays_within_its_limits(server):
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


def test_renewed_slots_persist_and_slots_of_a_dead_process_are_released(server):
    kept, lost, limits = patient(server), patient(server), Limits(concurrency=2)
    slots = [kept.acquire(KEY, ANY), kept.acquire(KEY + 1, ANY), lost.acquire(KEY, ANY)]
    server.let_time_pass()
    kept.renew()
    assert [status.in_flight for status in kept.status([KEY, KEY + 1]).values()] == [1, 1]
    # A call that waits gets the place too.
    slots.append(lost.acquire(KEY, limits))
    waiting = crowd(1, lambda: slots.append(kept.acquire(KEY, limits)))
    wait_until(kept._gate(KEY)._queue.__len__, lambda: "The call does not wait.")
    server.let_time_pass()
    kept.renew()
    wait_until(lambda: not waiting[0].is_alive(), lambda: "The call still waits.")


def test_a_process_without_a_broker_makes_four_concurrent_calls(server):
    limiter = impatient(server)
    server.kill()
    slots = [limiter.acquire(KEY, ANY) for _ in range(4)]
    assert "allows 4 calls at once" in refusal(limiter).reason
    assert limiter.status([KEY]) == {}
    limiter.renew()
    limiter.reset(KEY)
    slots[0].done(CallResult.OK)
    limiter.acquire(KEY, ANY).done(CallResult.OK)


def test_a_returning_broker_learns_of_the_calls_in_flight(server):
    limiter = impatient(server, **QUICK)
    slots = [limiter.acquire(KEY, ANY) for _ in range(3)]
    server.kill()
    slots.append(limiter.acquire(KEY, ANY))
    server.start()
    back = wait_until(lambda: limiter.renew() or limiter.status([KEY]), lambda: "The broker is not asked again.")
    assert back[KEY].in_flight == 4
    for slot in slots:
        slot.done(CallResult.OK)
    assert now(limiter).in_flight == 0


@pytest.mark.parametrize("before", [True, False])
def test_a_retry_after_around_an_outage_holds_all_processes_afterwards(server, before):
    limiter = impatient(server, **QUICK)
    slot = limiter.acquire(KEY, ANY)
    if not before:
        server.kill()
    slot.done(CallResult.LIMITED, retry_after=3600)
    server.kill()
    assert 3000 < refusal(limiter).seconds <= 3600
    server.start()
    time.sleep(1.1)
    refusal(limiter)
    assert 3000 < now(patient(server)).held_for < 3599.5


def test_ten_failures_during_an_outage_hold_the_key(server):
    limiter = impatient(server, open_seconds=1000, **QUICK)
    server.kill()
    fail(limiter, 10)
    held = refusal(limiter)
    assert 700 < held.seconds <= 1000


def test_the_owners_rate_is_kept_during_an_outage(server):
    limiter = Limiter(server.url)
    server.kill()
    limits = Limits(requests_per_minute=300)
    assert took(lambda: [limiter.acquire(KEY, limits).done(CallResult.OK) for _ in range(4)]) > 0.5


def test_a_hanging_broker_costs_a_single_time_out(server):
    limiter = Limiter(server.url, Pace(socket_seconds=0.3, away_seconds=patience()))
    limiter.acquire(KEY, ANY).done(CallResult.OK)
    connections = lambda: server.client.info("stats")["total_connections_received"]  # noqa: E731
    before = connections()
    os.kill(server.process.pid, signal.SIGSTOP)
    for _ in range(50):
        limiter.acquire(KEY, ANY).done(CallResult.OK)
    os.kill(server.process.pid, signal.SIGCONT)
    # After each time-out the next call would come through a connection of its own.
    assert connections() <= before + 2


def test_waiting_threads_continue_through_an_outage(server):
    limiter = patient(server, **QUICK)
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
        thread.join(patience())
    assert len(set(ended)) == 30
    limiter.renew()
    wait_until(lambda: now(limiter).in_flight == 0, lambda: "A slot is not freed.")
