"""The limiter of a provider key: rates, holds and the breaker."""

import time

import pytest

from limiter import CallResult, Limits, Status
from tests.runs.limiter_server import ANY, KEY, fail, impatient, now, refusal, took


def test_a_long_retry_after_raises_at_once_and_holds_every_process(server, limiter):
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=30)
    started = time.monotonic()
    held = refusal(limiter)
    assert "The provider limits this key's rate" in held.reason
    assert 20 < held.seconds <= 30
    assert time.monotonic() - started < 5
    assert 20 < now(limiter).held_for <= 30
    assert now(limiter).reason == "The provider limits this key's rate."
    limiter.acquire(KEY + 1, ANY).done(CallResult.OK)
    assert 20 < refusal(impatient(server)).seconds <= 30
    limiter.reset(KEY)
    impatient(server).acquire(KEY, ANY).done(CallResult.OK)


def test_a_short_retry_after_is_slept_in_place(limiter):
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=0.4)
    assert 0.35 < took(lambda: limiter.acquire(KEY, ANY)) < 5


def test_holds_without_retry_after_double_until_a_success(server):
    limiter = impatient(server, hold_seconds=0.3, short_hold_seconds=5.0)

    def hold_after(outcome):
        limiter.acquire(KEY, ANY).done(outcome)
        return now(limiter).held_for

    holds = [hold_after(CallResult.LIMITED) for _ in range(3)]
    assert holds == pytest.approx([0.3, 0.6, 1.2], abs=0.14)
    assert hold_after(CallResult.OK) == 0
    assert hold_after(CallResult.LIMITED) == pytest.approx(0.3, abs=0.14)


def test_requests_a_minute_are_kept_with_a_small_burst(limiter):
    limits = Limits(requests_per_minute=300)
    burst = took(lambda: [limiter.acquire(KEY, limits).done(CallResult.OK) for _ in range(30)])
    assert burst < 2
    rest = took(lambda: [limiter.acquire(KEY, limits).done(CallResult.OK) for _ in range(10)])
    assert 1.5 < burst + rest < 6


def test_tokens_a_minute_are_reserved_by_estimate_and_corrected_at_the_end(server):
    limiter = impatient(server)
    limits = Limits(tokens_per_minute=60_000)
    first = limiter.acquire(KEY, limits, 6000)
    assert "60000 tokens a minute" in refusal(limiter, limits, 3000).reason
    first.done(CallResult.OK, tokens=1000)
    second = limiter.acquire(KEY, limits, 3000)
    second.done(CallResult.OK, tokens=33_000)
    held = refusal(limiter, limits, 1000)
    assert 27 < held.seconds < 31


def test_a_call_larger_than_the_burst_starts_from_a_full_bucket(server):
    limiter = impatient(server)
    limiter.acquire(KEY, Limits(tokens_per_minute=1000), 5000).done(CallResult.OK, tokens=5000)
    refusal(limiter, Limits(tokens_per_minute=1000), 1)


def test_ten_failures_in_a_row_open_the_breaker_and_one_success_closes_it(server):
    limiter = impatient(server, open_seconds=1.0)
    fail(limiter, 9)
    assert not now(limiter).breaker_open
    fail(limiter, 1)
    assert now(limiter).breaker_open
    held = refusal(limiter)
    assert "The endpoint failed 10 times in a row; one call tries it again then" in held.reason
    assert 0.1 < held.seconds <= 1.0
    time.sleep(1.0)
    probe = limiter.acquire(KEY, ANY)
    refusal(limiter)
    probe.done(CallResult.OK)
    assert now(limiter) == Status(0, 8, 0.0, "", False)


def test_a_failed_probe_opens_the_breaker_for_twice_as_long(server):
    limiter = impatient(server, open_seconds=0.5, short_hold_seconds=2.0)
    fail(limiter, 11)
    assert 0.5 < now(limiter).held_for <= 1.0
    limiter.reset(KEY)
    assert now(limiter).held_for == 0
    limiter.acquire(KEY, ANY).done(CallResult.OK)


def test_a_probe_whose_worker_died_is_replaced(server):
    limiter = impatient(server, open_seconds=0.01, slot_seconds=1.0, short_hold_seconds=2.0)
    fail(limiter, 10)
    limiter.acquire(KEY, ANY)
    refusal(impatient(server))
    time.sleep(1.0)
    limiter.acquire(KEY, ANY).done(CallResult.OK)
    assert not now(limiter).breaker_open


def test_a_refused_call_changes_nothing_else(limiter):
    fail(limiter, 9)
    limiter.acquire(KEY, ANY).done(CallResult.REFUSED)
    assert now(limiter) == Status(0, 8, 0.0, "", False)
    fail(limiter, 1)
    assert now(limiter).breaker_open
