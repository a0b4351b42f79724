"""The limiter of a provider key: rates, holds and the breaker."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from limiter import Held, Limiter, Limits, Outcome, Status
from tests.runs.test_limiter import ANY, KEY, Server, fail, impatient, now, took


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.client.flushdb()
    return shared_server


@pytest.fixture
def limiter(server: Server) -> Limiter:
    return Limiter(server.url)


def test_a_long_retry_after_raises_at_once(limiter: Limiter) -> None:
    limiter.acquire(KEY, ANY).done(Outcome.LIMITED, retry_after=30)
    started = time.monotonic()
    with pytest.raises(Held, match="The provider limits this key's rate") as held:
        limiter.acquire(KEY, ANY)
    assert 20 < held.value.seconds <= 30
    assert time.monotonic() - started < 5
    assert 20 < now(limiter).held_for <= 30
    assert now(limiter).reason == "The provider limits this key's rate."
    limiter.acquire(KEY + 1, ANY).done(Outcome.OK)


def test_a_short_retry_after_is_slept_in_place(limiter: Limiter) -> None:
    limiter.acquire(KEY, ANY).done(Outcome.LIMITED, retry_after=0.4)
    assert 0.35 < took(lambda: limiter.acquire(KEY, ANY)) < 5


def test_holds_without_retry_after_double_until_a_success(server: Server) -> None:
    limiter = impatient(server, hold_seconds=0.3, short_hold_seconds=5.0)

    def hold_after(outcome: Outcome) -> float:
        limiter.acquire(KEY, ANY).done(outcome)
        return now(limiter).held_for

    holds = [hold_after(Outcome.LIMITED) for _ in range(3)]
    assert holds == pytest.approx([0.3, 0.6, 1.2], abs=0.14)
    assert hold_after(Outcome.OK) == 0
    assert hold_after(Outcome.LIMITED) == pytest.approx(0.3, abs=0.14)


def test_requests_a_minute_are_kept_with_a_small_burst(limiter: Limiter) -> None:
    limits = Limits(requests_per_minute=300)
    burst = took(lambda: [limiter.acquire(KEY, limits).done(Outcome.OK) for _ in range(30)])
    assert burst < 2
    rest = took(lambda: [limiter.acquire(KEY, limits).done(Outcome.OK) for _ in range(10)])
    assert 1.5 < burst + rest < 6


def test_tokens_a_minute_are_reserved_by_estimate_and_corrected_at_the_end(server: Server) -> None:
    limiter = impatient(server)
    limits = Limits(tokens_per_minute=60_000)
    first = limiter.acquire(KEY, limits, 6000)
    with pytest.raises(Held, match="60000 tokens a minute"):
        limiter.acquire(KEY, limits, 3000)
    first.done(Outcome.OK, tokens=1000)
    second = limiter.acquire(KEY, limits, 3000)
    second.done(Outcome.OK, tokens=33_000)
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, limits, 1000)
    assert 27 < held.value.seconds < 31


def test_a_call_larger_than_the_burst_starts_from_a_full_bucket(server: Server) -> None:
    limiter = impatient(server)
    limiter.acquire(KEY, Limits(tokens_per_minute=1000), 5000).done(Outcome.OK, tokens=5000)
    with pytest.raises(Held):
        limiter.acquire(KEY, Limits(tokens_per_minute=1000), 1)


def test_ten_failures_in_a_row_open_the_breaker_and_one_success_closes_it(server: Server) -> None:
    limiter = impatient(server, open_seconds=1.0)
    fail(limiter, 9)
    assert not now(limiter).breaker_open
    fail(limiter, 1)
    assert now(limiter).breaker_open
    with pytest.raises(Held, match="The endpoint failed 10 times in a row; one call tries it again then") as held:
        limiter.acquire(KEY, ANY)
    assert 0.1 < held.value.seconds <= 1.0
    time.sleep(1.0)
    probe = limiter.acquire(KEY, ANY)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    probe.done(Outcome.OK)
    assert now(limiter) == Status(0, 8, 0.0, "", False)


def test_a_failed_probe_opens_the_breaker_for_twice_as_long(server: Server) -> None:
    limiter = impatient(server, open_seconds=0.5, short_hold_seconds=2.0)
    fail(limiter, 11)
    assert 0.5 < now(limiter).held_for <= 1.0
    limiter.reset(KEY)
    assert now(limiter).held_for == 0
    limiter.acquire(KEY, ANY).done(Outcome.OK)


def test_a_probe_whose_worker_died_is_replaced(server: Server) -> None:
    limiter = impatient(server, open_seconds=0.01, slot_seconds=1.0, short_hold_seconds=2.0)
    fail(limiter, 10)
    limiter.acquire(KEY, ANY)
    with pytest.raises(Held):
        impatient(server).acquire(KEY, ANY)
    time.sleep(1.0)
    limiter.acquire(KEY, ANY).done(Outcome.OK)
    assert not now(limiter).breaker_open


def test_a_refused_call_changes_nothing_else(limiter: Limiter) -> None:
    fail(limiter, 9)
    limiter.acquire(KEY, ANY).done(Outcome.REFUSED)
    assert now(limiter) == Status(0, 8, 0.0, "", False)
    fail(limiter, 1)
    assert now(limiter).breaker_open


def test_a_person_ends_a_hold(limiter: Limiter) -> None:
    limiter.acquire(KEY, ANY).done(Outcome.LIMITED, retry_after=600)
    with pytest.raises(Held):
        limiter.acquire(KEY, ANY)
    limiter.reset(KEY)
    assert now(limiter).held_for == 0
    limiter.acquire(KEY, ANY).done(Outcome.OK)
