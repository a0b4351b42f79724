"""The limiter of a provider key in one process, against a real server: slots and the queue for them."""

import threading
import time

import pytest

from infrastructure.limiter import CallResult, Held, Limits, Status
from tests.runs.limiter_server import ANY, KEY, Server, crowd, impatient, now, patient, refusal
from tests.waiting import patience, took, wait_until


@pytest.fixture(scope="module")
def shared_server():
    """A server counts the calls of every process, so this one is not shared with other processes of the tests."""
    server = Server(own=True)
    yield server
    server.close()


def test_a_call_takes_a_round_trip_to_start_and_another_to_end(server, limiter):
    limiter.acquire(KEY, ANY).done(CallResult.OK)
    server.client.config_resetstat()
    limits = Limits(concurrency=5, requests_per_minute=10_000, tokens_per_minute=10**6)
    for _ in range(10):
        limiter.acquire(KEY, limits, 100).done(CallResult.OK, tokens=90)
    assert server.calls() == 20


def test_a_slot_is_freed_exactly_once(limiter):
    first, second = limiter.acquire(KEY, ANY), limiter.acquire(KEY, ANY)
    first.done(CallResult.OK)
    first.done(CallResult.LIMITED, retry_after=60)
    assert now(limiter) == Status(1, 8, 0.0, "", False)
    with pytest.raises(ZeroDivisionError), second:
        raise ZeroDivisionError
    assert now(limiter).in_flight == 0


def test_a_long_hold_is_refused_without_waiting(server, limiter):
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=3600)
    server.client.config_resetstat()
    refusal(limiter)
    assert server.calls() == 1


@pytest.mark.long
def test_concurrency_doubles_each_round_trip_until_every_thread_has_a_slot(server):
    limiter, lock, inside, most, over = patient(server), threading.Lock(), 0, 0, threading.Event()

    def call():
        nonlocal inside, most
        while not over.is_set():
            slot = limiter.acquire(KEY, ANY)
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.3)
            with lock:
                inside -= 1
            slot.done(CallResult.OK)

    threads = crowd(256, call)
    try:
        wait_until(lambda: most == 256, lambda: f"At most {most} calls are in flight.")
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_an_unused_limit_does_not_grow(limiter):
    for _ in range(20):
        limiter.acquire(KEY, ANY).done(CallResult.OK)
    assert now(limiter).concurrency == 8


def test_a_rate_limit_halves_concurrency_once_for_all_calls_in_flight(server):
    limiter = impatient(server, cut_seconds=0.0)
    slots = [limiter.acquire(KEY, ANY) for _ in range(8)]
    time.sleep(0.01)
    for slot in slots:
        slot.done(CallResult.LIMITED, retry_after=0.01)
    assert now(limiter).concurrency == 4


def test_concurrency_grows_by_1_each_round_trip_after_a_rate_limit(server):
    limiter = impatient(server)
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=0.01)
    time.sleep(0.02)
    for expected in (4, 5, 6):
        assert now(limiter).concurrency == expected
        slots = [limiter.acquire(KEY, ANY) for _ in range(expected)]
        with pytest.raises(Held):
            limiter.acquire(KEY, ANY)
        for slot in slots:
            slot.done(CallResult.OK)
        limiter.acquire(KEY, ANY).done(CallResult.OK)


def test_the_owners_limit_is_never_exceeded(server):
    limiter = impatient(server)
    slots = [limiter.acquire(KEY, Limits(concurrency=3)) for _ in range(3)]
    held = refusal(limiter, Limits(concurrency=3))
    assert held.reason == "All places are taken: this key allows 3 calls at once."
    assert 2 <= held.seconds <= 5
    slots[0].done(CallResult.OK)
    limiter.acquire(KEY, Limits(concurrency=3))


def test_slots_are_granted_first_come_first_served(server):
    limiter, limits, order = patient(server), Limits(concurrency=1), []
    first = limiter.acquire(KEY, limits)

    def call(name):
        with limiter.acquire(KEY, limits):
            order.append(name)

    threads = []
    for name in range(12):
        threads += crowd(1, lambda name=name: call(name))
        wait_until(lambda name=name: len(limiter._gate(KEY)._queue) > name, lambda: "A call does not wait.", every=0.01)
    first.done(CallResult.OK)
    for thread in threads:
        thread.join(patience())
    assert order == list(range(12))


@pytest.mark.long
def test_waiting_threads_send_few_commands_to_the_server(server):
    limiter, limits = patient(server), Limits(concurrency=2)
    slots = [limiter.acquire(KEY, limits) for _ in range(2)]

    def wait():
        with limiter.acquire(KEY, limits):
            pass

    waiting = crowd(240, wait)
    wait_until(lambda: len(limiter._gate(KEY)._queue) == 240, lambda: "A call does not wait.")
    server.client.config_resetstat()
    waited = took(lambda: wait_until(lambda: server.calls() >= 10, lambda: "The server is not asked again."))
    assert 6 * waited + 1 >= 10  # 4 a second, as the pace says; 6 leave room for when the first of them came
    for slot in slots:
        slot.done(CallResult.OK)
    wait_until(lambda: not any(thread.is_alive() for thread in waiting), lambda: "A call still waits.")


def test_a_waiting_call_stops_when_its_run_does(server):
    limiter, limits = patient(server), Limits(concurrency=1)
    slot = limiter.acquire(KEY, limits)
    held = refusal(limiter, limits, 0, lambda: True)
    assert (held.reason, held.seconds) == ("The run was asked to stop.", 0)
    slot.done(CallResult.OK)
    limiter.acquire(KEY, limits).done(CallResult.OK)
