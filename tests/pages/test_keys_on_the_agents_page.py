"""Endpoints on the Agents page: how keys stand, and what can be done to all runs that use one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

LIMITS = {"calls_at_once": "16", "requests_per_minute": "500", "tokens_per_minute": ""}


@pytest.fixture
def endpoint(organization: Any) -> Any:
    return organization.endpoints.get(name="OpenAI")


@pytest.fixture
def used(painted: Callable[..., Any]) -> Any:
    """Runs of the endpoint: two active, one paused, one failed."""
    return painted("gpt-5", seeds=(0, 1, 2, 3), states=("queued", "running", "paused", "errored"))


def stood(monkeypatch: pytest.MonkeyPatch, endpoint: Any, **values: Any) -> None:
    import limiter
    from limiter import Status

    status = {"in_flight": 0, "concurrency": 8, "held_for": 0.0, "reason": "", "breaker_open": False} | values
    monkeypatch.setattr(limiter, "status", lambda ids: {endpoint.pk: Status(**status)})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, ["No call in flight, up to 8 at once now"]),
        ({"in_flight": 3, "concurrency": 4}, ["3 calls in flight, up to 4 at once now"]),
        ({"held_for": 20.0, "reason": "The provider limits this key&#x27;s rate."}, ["Held until", "limits this key"]),
        (
            {"held_for": 9.0, "breaker_open": True, "reason": "The endpoint failed 10 times in a row."},
            ["Calls stopped until", "failed 10 times"],
        ),
    ],
)
def test_the_limiter_is_told_in_plain_words(
    page: Any, endpoint: Any, monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], words: list[str]
) -> None:
    stood(monkeypatch, endpoint, **values)
    text = page.get("/agents/").content.decode()
    for word in words:
        assert word in text


def test_nothing_is_claimed_while_the_limiter_cannot_be_asked(
    page: Any, monkeypatch: pytest.MonkeyPatch, endpoint: Any
) -> None:
    import limiter

    monkeypatch.setattr(limiter, "status", lambda ids: {})
    text = page.get("/agents/").content.decode()
    assert "in flight" not in text and "Held until" not in text
    assert "OpenAI" in text


@pytest.mark.parametrize(
    ("action", "runs"), [("pause", "2 runs"), ("resume", "1 run"), ("cancel", "4 runs"), ("retry", "1 run")]
)
def test_all_runs_of_a_key_are_acted_on_at_once(page: Any, used: Any, endpoint: Any, action: str, runs: str) -> None:
    text = page.get("/agents/").content.decode()
    assert "Pause 2" in text and "Resume 1" in text and "Retry 1 failed" in text and "Cancel 4" in text
    response = page.post(f"/agents/endpoints/{endpoint.pk}/{action}/", follow=True)
    assert f"{runs} of OpenAI" in response.content.decode()
    assert response.redirect_chain[0][0].endswith(f"#endpoint-{endpoint.pk}")
    assert page.get(f"/agents/endpoints/{endpoint.pk}/{action}/").status_code == 405


def test_after_a_new_key_the_runs_it_had_paused_are_named(page: Any, used: Any, endpoint: Any) -> None:
    used.runs.filter(state="paused").update(pause_cause="key")
    address = f"/agents/endpoints/{endpoint.pk}/key/"
    text = page.post(address, {"key": "sk-a-new-key-that-works-1"}, follow=True).content.decode()
    assert "1 run is paused because of it. Choose Resume below" in text
    assert "(1 because of the key)" in text


def test_limits_are_set_and_taken_away(page: Any, endpoint: Any) -> None:
    address = f"/agents/endpoints/{endpoint.pk}/limits/"
    text = page.post(address, LIMITS, follow=True).content.decode()
    assert "16 calls at once, 500 requests a minute" in text
    endpoint.refresh_from_db()
    assert (endpoint.calls_at_once, endpoint.requests_per_minute, endpoint.tokens_per_minute) == (16, 500, None)
    page.post(address, dict.fromkeys(LIMITS, ""))
    endpoint.refresh_from_db()
    assert endpoint.calls_at_once is None


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [("0", "A limit is at least 1"), ("many", "whole number"), ("10000000000", "at most 1,000,000,000")],
)
def test_a_wrong_limit_is_told_beside_its_field(page: Any, endpoint: Any, typed: str, sentence: str) -> None:
    response = page.post(f"/agents/endpoints/{endpoint.pk}/limits/", LIMITS | {"calls_at_once": typed})
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_the_most_output_tokens_of_a_call_are_typed_with_the_agent(page: Any, endpoint: Any, organization: Any) -> None:
    form = {"name": "capped", "endpoint": endpoint.pk, "model": "m", "temperature": "1"}
    assert "lie between 1 and" in page.post("/agents/new/", form | {"max_tokens": "0"}).content.decode()
    page.post("/agents/new/", form | {"max_tokens": "8000"})
    assert organization.agents.get(slug="capped").max_tokens == 8000
