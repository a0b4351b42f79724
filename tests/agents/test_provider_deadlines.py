"""A query takes no longer than its options allow, however the server spends the time."""

from __future__ import annotations

import time

import pytest

from agents.errors import ProviderRetry
from tests.stub_provider import StubAnswer


def seconds_until_given_up(provider, timeout):
    start = time.monotonic()
    with pytest.raises(ProviderRetry) as caught:
        provider.query(timeout_seconds=timeout)
    assert (
        caught.value.reason == f"The endpoint {provider.stub.url} did not finish its answer within {timeout} seconds."
    )
    assert caught.value.may_be_billed and caught.value.kind == "timeout"
    return time.monotonic() - start


@pytest.mark.parametrize(
    "answer",
    [
        StubAnswer(hang=True),
        StubAnswer(text="Hi", delay=5),
        StubAnswer(text="Hi" * 1000, trickle=0.02),
        StubAnswer(text="Hi" * 1000, trickle=0.02, slow_head=True),
    ],
    ids=["hang", "delay", "slow body", "slow headers"],
)
def test_a_server_that_takes_too_long_is_given_up_in_time(serve, answer):
    assert 0.3 <= seconds_until_given_up(serve(answer), 0.3) < 1.0


def test_sending_again_without_a_refused_parameter_gets_no_extra_time(serve):
    refusal = StubAnswer(status=400, error="temperature is not supported", delay=0.3)
    assert seconds_until_given_up(serve(refusal, StubAnswer(hang=True)), 0.5) < 0.8


def test_a_slow_answer_within_the_time_is_an_answer(serve):
    assert serve(StubAnswer(text="Hi", delay=0.3)).query(timeout_seconds=5).text == "Hi"
