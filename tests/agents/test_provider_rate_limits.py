"""Rate limits and overload say how long to wait, and never end a run by themselves."""

from __future__ import annotations

import pytest

from agents.errors import ProviderRetry
from tests.stub_provider import StubAnswer

NOON = "Fri, 06 Jun 2025 12:00:00 GMT"


def retry_from(provider):
    with pytest.raises(ProviderRetry) as caught:
        provider.query()
    assert provider.stub.count == 1, "only the runner tries again"
    return caught.value


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After-Ms": "1500", "Retry-After": "2"}, 1.5),
        ({"Retry-After": "Fri, 06 Jun 2025 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Fri, 06 Jun 2025 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "999999999"}, 86_400.0),
        ({"Retry-After": "Fri, 06 Jun 2036 12:00:00 GMT"}, 86_400.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "Fri, 99 Jun 99999 12:00:00 GMT"}, None),
    ],
)
def test_the_time_to_wait_is_read_in_every_form(serve, headers, seconds):
    error = retry_from(serve(StubAnswer(status=429, error="Slow down.", headers={"Date": NOON} | headers)))
    assert error.retry_after == seconds
    assert error.reason == "The provider limits the rate of requests (status 429): Slow down."


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_trouble_that_passes_is_worth_another_try(serve, status):
    error = retry_from(serve(StubAnswer(status=status, error="Not now.", headers={"Retry-After": "3"})))
    assert error.retry_after == 3.0
    assert f"(status {status}): Not now." in error.reason
    assert error.limited == (status in (429, 503, 529)) and not error.may_be_billed


def test_a_rate_limit_that_speaks_of_quotas_is_still_a_rate_limit(serve):
    told = "You exceeded your current quota, please check your plan and billing details. Please retry in 32 s."
    body = {"error": {"message": told, "status": "RESOURCE_EXHAUSTED"}}
    assert told in retry_from(serve(StubAnswer(status=429, error=body))).reason


def test_a_page_of_html_is_not_quoted(serve):
    error = retry_from(serve(StubAnswer(status=502, raw=b"<html><title>Bad gateway</title></html>")))
    assert error.reason == "The provider failed (status 502)."
