"""The limiter of a provider key: rates, holds and the breaker."""

import pytest

from infrastructure.limiter import CallResult, Limits, Status
from tests.runs.limiter_server import ANY, KEY, fail, impatient, now, patient, refusal
from tests.waiting import took


def test_a_long_retry_after_holds_every_process(server, limiter):
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=3600)
    held = refusal(limiter)
    assert "The provider limits this key's rate" in held.reason
    assert 3000 < held.seconds <= 3600
    assert 3000 < now(limiter).held_for <= 3600
    assert now(limiter).reason == "The provider limits this key's rate."
    limiter.acquire(KEY + 1, ANY).done(CallResult.OK)
    assert 3000 < refusal(impatient(server)).seconds <= 3600
    limiter.reset(KEY)
    impatient(server).acquire(KEY, ANY).done(CallResult.OK)


def test_a_short_retry_after_is_slept_in_the_calling_thread(limiter):
    limiter.acquire(KEY, ANY).done(CallResult.LIMITED, retry_after=0.4)
    assert took(lambda: limiter.acquire(KEY, ANY)) > 0.35


def test_holds_without_retry_after_double_until_a_success(server):

    def hold_after(outcome):
        server.let_time_pass()
        # One that has not heard of the hold, which time ended for the server alone.
        limiter = impatient(server, hold_seconds=1000, hold_most_seconds=9000)
        limiter.acquire(KEY, ANY).done(outcome)
        return now(limiter).held_for

    holds = [hold_after(CallResult.LIMITED) for _ in range(3)]
    assert holds == pytest.approx([1000, 2000, 4000], rel=0.3)
    assert hold_after(CallResult.OK) == 0
    assert hold_after(CallResult.LIMITED) == pytest.approx(1000, rel=0.3)


@pytest.mark.long
def test_requests_a_minute_are_kept_with_a_small_burst(server):
    limits = Limits(requests_per_minute=300)

    def calls(limiter, count):
        for _ in range(count):
            limiter.acquire(KEY, limits).done(CallResult.OK)

    burst = took(lambda: calls(impatient(server), 30))
    rest = took(lambda: calls(patient(server), 10))
    assert burst + rest > 1.5


def test_tokens_a_minute_are_reserved_by_estimate_and_corrected_at_the_end(server):
    limiter = impatient(server, burst=10)
    limits = Limits(tokens_per_minute=60_000)
    first = limiter.acquire(KEY, limits, 600_000)
    assert "60000 tokens a minute" in refusal(limiter, limits, 300_000).reason
    first.done(CallResult.OK, tokens=100_000)
    second = limiter.acquire(KEY, limits, 300_000)
    second.done(CallResult.OK, tokens=3_300_000)
    held = refusal(limiter, limits, 100_000)
    assert 2700 < held.seconds <= 2900


def test_a_call_larger_than_the_burst_starts_from_a_full_bucket(server):
    limiter = impatient(server)
    limiter.acquire(KEY, Limits(tokens_per_minute=1000), 5000).done(CallResult.OK, tokens=5000)
    refusal(limiter, Limits(tokens_per_minute=1000), 1)


def test_ten_consecutive_failures_open_the_breaker_and_a_success_closes_it(server):
    limiter = impatient(server, open_seconds=200)
    fail(limiter, 9)
    assert not now(limiter).breaker_open
    fail(limiter, 1)
    assert now(limiter).breaker_open
    held = refusal(limiter)
    assert "The endpoint failed 10 times in a row; one call tries it again then" in held.reason
    assert 100 < held.seconds <= 200
    server.let_time_pass()
    probe = impatient(server).acquire(KEY, ANY)
    refusal(limiter)
    refusal(impatient(server))
    probe.done(CallResult.OK)
    assert now(limiter) == Status(0, 8, 0.0, "", False)


def test_a_failed_probe_opens_the_breaker_for_twice_as_long(server):
    limiter = impatient(server, open_seconds=200)
    fail(limiter, 10)
    server.let_time_pass()
    fail(limiter, 1)
    assert 200 < now(limiter).held_for <= 400
    limiter.reset(KEY)
    assert now(limiter).held_for == 0
    limiter.acquire(KEY, ANY).done(CallResult.OK)


def test_a_probe_of_a_dead_worker_is_replaced(server):
    fail(impatient(server), 10)
    server.let_time_pass()
    lost = impatient(server).acquire(KEY, ANY)
    refusal(impatient(server))
    server.let_time_pass()
    limiter = impatient(server)
    limiter.acquire(KEY, ANY).done(CallResult.OK)
    assert not now(limiter).breaker_open
    del lost


def test_a_refused_call_changes_no_other_state(limiter):
    fail(limiter, 9)
    limiter.acquire(KEY, ANY).done(CallResult.REFUSED)
    assert now(limiter) == Status(0, 8, 0.0, "", False)
    fail(limiter, 1)
    assert now(limiter).breaker_open


def test_a_call_from_before_the_failures_does_not_close_the_breaker(server):
    """Else the calls that it lets in fail too, and the limit after the outage is forgotten."""
    limiter = impatient(server, open_seconds=200, start_concurrency=16)
    slow = limiter.acquire(KEY, ANY)
    fail(limiter, 10)
    slow.done(CallResult.OK)
    assert now(limiter).breaker_open
    server.let_time_pass()
    impatient(server).acquire(KEY, ANY).done(CallResult.OK)
    assert not now(limiter).breaker_open
