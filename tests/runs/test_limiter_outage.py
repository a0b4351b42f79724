"""The limiter while the broker is away, and after the broker lost its state."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import limiter
from limiter import Held, Limiter, Limits, Outcome, Pace, Slot, Status
from tests.runs.test_limiter import ANY, KEY, Server, eventually, fail, impatient, now, took

QUICK = {"away_seconds": 0.2, "socket_seconds": 0.3}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(own=True)
    yield server
    server.close()


def test_the_project_uses_one_limiter_at_its_broker(server: Server, settings: Any) -> None:
    settings.BROKER_URL = server.url
    with limiter.acquire(KEY, ANY, 100, lambda: False):
        limiter.renew()
        assert limiter.status([KEY])[KEY] == Status(1, 8, 0.0, "", False)
    limiter.reset(KEY)


def test_losing_the_state_only_makes_it_careful(server: Server) -> None:
    limiter = impatient(server)
    slots = [limiter.acquire(KEY, ANY) for _ in range(8)]
    server.client.execute_command("FLUSHDB")
    server.client.execute_command("SCRIPT", "FLUSH")
    assert now(limiter).in_flight == 0
    limiter.renew()
    assert now(limiter) == Status(8, 8, 0.0, "", False)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    server.client.execute_command("FLUSHDB")
    for slot in slots:
        slot.done(Outcome.OK)
    assert now(limiter) == Status(0, 8, 0.0, "", False)


def test_renewed_slots_last_and_others_come_free(server: Server) -> None:
    pace = Pace(slot_seconds=1.0)
    kept, lost = Limiter(server.url, pace), Limiter(server.url, pace)
    slots: list[Slot] = [kept.acquire(KEY, ANY), kept.acquire(KEY + 1, ANY), lost.acquire(KEY, ANY)]
    for _ in range(4):
        time.sleep(0.3)
        kept.renew()
    assert [status.in_flight for status in kept.status([KEY, KEY + 1]).values()] == [1, 1]
    del slots


def test_without_a_broker_a_process_makes_four_calls_at_once(server: Server) -> None:
    limiter = impatient(server)
    server.kill()
    slots = [limiter.acquire(KEY, ANY) for _ in range(4)]
    with pytest.raises(Held, match="allows 4 calls at once"):
        limiter.acquire(KEY, ANY)
    assert limiter.status([KEY]) == {}
    limiter.renew()
    limiter.reset(KEY)
    slots[0].done(Outcome.OK)
    limiter.acquire(KEY, ANY).done(Outcome.OK)


def test_a_broker_that_comes_back_learns_of_the_calls_in_flight(server: Server) -> None:
    limiter = impatient(server, **QUICK)
    slots = [limiter.acquire(KEY, ANY) for _ in range(3)]
    server.kill()
    slots.append(limiter.acquire(KEY, ANY))
    server.start()
    time.sleep(0.2)
    limiter.renew()
    assert now(limiter).in_flight == 4
    for slot in slots:
        slot.done(Outcome.OK)
    assert now(limiter).in_flight == 0


def test_an_outage_does_not_break_a_retry_after(server: Server) -> None:
    limiter = impatient(server, **QUICK)
    limiter.acquire(KEY, ANY).done(Outcome.LIMITED, retry_after=30)
    server.kill()
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, ANY)
    assert 20 < held.value.seconds <= 30
    server.start()
    time.sleep(1.1)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    assert 20 < now(limiter).held_for < 29.5


def test_a_retry_after_heard_during_an_outage_reaches_the_others(server: Server) -> None:
    limiter = impatient(server, **QUICK)
    slot = limiter.acquire(KEY, ANY)
    server.kill()
    slot.done(Outcome.LIMITED, retry_after=30)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    server.start()
    time.sleep(1.1)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    assert 20 < now(Limiter(server.url)).held_for < 30


def test_ten_failures_during_an_outage_hold_the_key(server: Server) -> None:
    limiter = impatient(server, **QUICK)
    server.kill()
    fail(limiter, 10)
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, ANY)
    assert 8 < held.value.seconds <= 15


def test_the_owners_rate_is_kept_during_an_outage(server: Server) -> None:
    limiter = Limiter(server.url)
    server.kill()
    limits = Limits(requests_per_minute=300)
    assert 0.5 < took(lambda: [limiter.acquire(KEY, limits).done(Outcome.OK) for _ in range(4)]) < 5


def test_a_broker_that_hangs_costs_one_time_out_not_one_per_call(server: Server) -> None:
    limiter = Limiter(server.url, Pace(socket_seconds=0.3))
    limiter.acquire(KEY, ANY).done(Outcome.OK)
    assert server.process
    os.kill(server.process.pid, signal.SIGSTOP)
    assert took(lambda: [limiter.acquire(KEY, ANY).done(Outcome.OK) for _ in range(50)]) < 5
    os.kill(server.process.pid, signal.SIGCONT)


def test_threads_that_wait_go_on_through_an_outage(server: Server) -> None:
    limiter = Limiter(server.url, Pace(away_seconds=0.2, socket_seconds=0.3))
    limits = Limits(concurrency=2)
    ended = []

    def call() -> None:
        with limiter.acquire(KEY, limits) as slot:
            time.sleep(0.1)
            slot.done(Outcome.OK)
        ended.append(slot.token)

    threads = [threading.Thread(target=call) for _ in range(30)]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    server.kill()
    time.sleep(0.4)
    server.start()
    for thread in threads:
        thread.join(30)
    assert len(set(ended)) == 30
    limiter.renew()
    eventually(lambda: now(limiter).in_flight == 0)
