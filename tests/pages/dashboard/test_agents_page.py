"""Agents and endpoints: write-only keys, list prices, and the runs that use a key."""

import re

import pytest

from infrastructure import limiter
from infrastructure.limiter import Status
from runs.list_prices import SOURCE
from tests.cast import LAUNCH_FORM

KEY = "sk-a-very-secret-key-9876"


@pytest.fixture
def endpoint(organization):
    return organization.endpoints.get(name="OpenAI")


def test_a_key_is_stored_and_only_its_last_characters_are_displayed(page, endpoint):
    address = f"/agents/endpoints/{endpoint.pk}/key/"
    page.post(address, {"key": KEY})
    text = page.get("/agents/").text
    assert "…9876" in text and KEY not in text
    assert KEY not in page.get(address).text
    response = page.post(address, {"key": "sk wrong key"})
    assert response.status_code == 422 and "sk wrong key" not in response.text


def test_an_endpoint_and_an_agent_are_added(page, organization):
    typed = {"name": "House", "provider": "openai-compatible", "base_url": "http://127.0.0.1:9/v1", "key": ""}
    page.post("/agents/endpoints/new/", typed)
    endpoint = organization.endpoints.get(name="House")
    form = {"name": "house-model", "endpoint": endpoint.pk, "model": "house-1", "temperature": "1"}
    page.post("/agents/new/", form | {"input_price": "0.5"})
    agent = organization.agents.get(slug="house-model")
    assert (agent.model, agent.provider, str(agent.input_price)) == ("house-1", "openai-compatible", "0.5000")
    assert "API key not required" in page.get("/agents/").text


def test_invalid_fields_and_tests_without_a_key_are_explained(page, organization):
    text = page.post("/agents/new/", {"name": "", "model": "", "input_price": "-1"}).text
    for sentence in ("Give the agent a name.", "Give the model id.", "A price cannot be negative."):
        assert sentence in text
    organization.allow_environment_keys = False
    organization.save()
    agent = organization.agents.get(slug="gpt-5")
    assert "There is no key for OpenAI yet" in page.post(f"/agents/{agent.pk}/test/").text


def test_foreign_endpoints_are_refused_and_their_prices_not_listed(stranger, organization):
    google = organization.endpoints.get(name="Google")
    response = stranger.post("/agents/new/", {"name": "theft", "endpoint": google.pk, "model": "m"})
    assert response.status_code == 422 and "Choose one of your endpoints." in response.text
    text = stranger.get("/agents/list-prices/", {"endpoint": google.pk, "model": "gemini-2.5-pro"}).text
    assert WORDS not in text


WORDS = "List price of "


def test_the_form_suggests_the_models_of_the_selected_endpoint(page, organization, endpoint):
    text = page.get("/agents/new/").text
    assert '<option value="claude-sonnet-4-5">Claude Sonnet 4.5, reads ' in text
    assert "gpt-5-nano" not in text and f"List: {SOURCE}, 10 Nov 2026." in text
    offer = '<option value="gpt-5-nano">GPT-5 nano, reads 400,000 tokens, $0.05 in, $0.005 cached, $0.40 out</option>'
    assert offer in page.get("/agents/list-prices/", {"endpoint": endpoint.pk}).text


def test_the_release_date_is_filled_in_but_a_typed_date_stays(page, endpoint):
    def shown(**typed):
        text = page.get("/agents/list-prices/", {"endpoint": endpoint.pk, **typed}).text
        date = re.search(r'name="release_date"(?: value="([^"]*)")?', text)[1]
        return date or "", re.search(r'name="known_release_date" value="([^"]*)"', text)[1]

    assert shown(model="gpt-5-2025-08-07", release_date="") == ("2025-08-07", "2025-08-07")
    known = {"release_date": "2025-08-07", "known_release_date": "2025-08-07"}
    assert shown(model="o3-mini-2025-01-31", **known) == ("2025-01-31", "2025-01-31")
    assert shown(model="house-1", **known) == ("", "")
    assert shown(model="house-1", release_date="2025-08-07", known_release_date="") == ("2025-08-07", "")


def test_choosing_a_model_shows_list_prices_and_keeps_typed_prices(page, organization):
    google = organization.endpoints.get(name="Google")
    typed = {"endpoint": google.pk, "model": "gemini-2.5-pro", "cached_price": "0.5"}
    text = page.get("/agents/list-prices/", typed).text
    assert f"{WORDS}Gemini 2.5 Pro: $1.25 in, $0.125 cached, $10.00 out." in text
    assert "Above 200,000 input tokens: $2.50 in, $0.25 cached, $15.00 out." in text
    assert 'value="0.5"' in text and "It is not used, since you entered a price." in text
    assert "OpenAI: " not in text
    text = page.get("/agents/list-prices/", typed | {"cached_price": ""}).text
    assert (
        'placeholder="1.25"' in text and "The agent uses this list price as long as all three prices are empty." in text
    )


def test_an_unknown_model_is_reported_as_missing_from_the_price_list(page, endpoint):
    text = page.get("/agents/list-prices/", {"endpoint": endpoint.pk, "model": "house-1"}).text
    assert f"{SOURCE} has no price for this model at this endpoint." in text


def test_the_agents_page_marks_list_prices(page, organization):
    text = page.get("/agents/").text
    assert f"list prices from {SOURCE}, 10 Nov 2026" in text
    assert "more for long inputs" in text


def test_prices_can_be_entered_and_list_prices_restored(page, organization):
    agent = organization.agents.get(slug="gpt-5")
    address = f"/agents/{agent.pk}/edit/"
    typed = {"name": agent.name, "endpoint": agent.endpoint_id, "model": agent.model}
    page.post(address, typed | {"input_price": "2", "cached_price": "", "output_price": "8"})
    agent.refresh_from_db()
    assert (agent.input_price, agent.cached_price, agent.output_price) == (2, None, 8)
    text = page.get(address).text
    assert "Now $2.00 in, $8.00 out (entered here" in text and "Save with the list price: $1.25 in" in text
    page.post(address, typed | {"input_price": "2", "output_price": "8", "list": "1"})
    assert "Save with the list price" not in page.get(address).text
    agent.refresh_from_db()
    assert (str(agent.input_price), agent.price_source) == ("1.2500", f"{SOURCE}: openai/gpt-5")


@pytest.mark.long
def test_the_launch_form_shows_ranges_and_the_basis_of_the_estimate(page, organization):
    text = page.post("/experiments/new/preview/", LAUNCH_FORM | {"agents": ["gpt-4-1"]}).text
    assert "Tokens in" in text and "playing the games without a model" in text
    rows = [row for row in text.split("<dt>") if 'class="range"' in row]
    assert [re.sub("<[^>]*>", "", row.partition("</dt>")[0]).strip() for row in rows] == [
        "Tokens in",
        "Tokens out",
        "Cost",
        "Time",
        "Disk",
    ]


@pytest.fixture
def used(painted):
    """Runs of the endpoint: two active, one paused, one failed."""
    return painted("gpt-5", seeds=(0, 1, 2, 3), states=("queued", "running", "paused", "errored"))


@pytest.mark.long
def test_the_page_of_endpoints_describes_the_limiter_and_claims_nothing_without_it(page, endpoint, monkeypatch):
    idle = {"in_flight": 0, "concurrency": 8, "held_for": 0.0, "reason": "", "breaker_open": False}
    for values, *words in (
        ({}, "No call in flight, up to 8 at once now"),
        ({"in_flight": 3, "concurrency": 4}, "3 calls in flight, up to 4 at once now"),
        ({"held_for": 20.0, "reason": "The provider limits this key&#x27;s rate."}, "Held until", "limits this key"),
        (
            {"held_for": 9.0, "breaker_open": True, "reason": "The endpoint failed 10 times in a row."},
            "Calls stopped until",
            "failed 10 times",
        ),
    ):
        status = Status(**idle | values)
        monkeypatch.setattr(limiter, "status", lambda ids, status=status: {endpoint.pk: status})
        text = page.get("/agents/endpoints/").text
        assert [word for word in words if word not in text] == []
    monkeypatch.setattr(limiter, "status", lambda ids: {})
    text = page.get("/agents/endpoints/").text
    assert "in flight" not in text and "Held until" not in text and "OpenAI" in text


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("action", "runs"), [("pause", "2 runs"), ("resume", "1 run"), ("cancel", "4 runs"), ("retry", "1 run")]
)
def test_all_runs_of_a_key_are_controlled_at_once(page, used, endpoint, action, runs):
    text = page.get("/agents/endpoints/").text
    assert "Pause 2" in text and "Resume 1" in text and "Retry 1 failed" in text and "Cancel 4" in text
    response = page.post(f"/agents/endpoints/{endpoint.pk}/{action}/", follow=True)
    assert f"{runs} of OpenAI" in response.text
    assert response.redirect_chain[0][0].endswith(f"#endpoint-{endpoint.pk}")


def test_a_new_key_reports_the_runs_paused_by_the_old_key(page, used, endpoint):
    used.runs.filter(state="paused").update(pause_cause="key")
    address = f"/agents/endpoints/{endpoint.pk}/key/"
    text = page.post(address, {"key": "sk-a-new-key-that-works-1"}, follow=True).text
    assert "1 run is paused because of it. Choose Resume below" in text and "(1 because of the key)" in text


def test_limits_can_be_set_and_removed_and_an_invalid_limit_is_explained(page, endpoint):
    limits = {"calls_at_once": "16", "requests_per_minute": "500", "tokens_per_minute": ""}
    address = f"/agents/endpoints/{endpoint.pk}/limits/"
    text = page.post(address, limits, follow=True).text
    assert "16 calls at once, 500 requests a minute" in text
    wrong = {"0": "A limit is at least 1", "many": "whole number", "10000000000": "at most 1,000,000,000"}
    for typed, sentence in wrong.items():
        response = page.post(address, limits | {"calls_at_once": typed})
        assert response.status_code == 422 and sentence in response.text
    endpoint.refresh_from_db()
    assert (endpoint.calls_at_once, endpoint.requests_per_minute, endpoint.tokens_per_minute) == (16, 500, None)
    page.post(address, dict.fromkeys(limits, ""))
    endpoint.refresh_from_db()
    assert endpoint.calls_at_once is None


def test_the_output_limit_of_an_agent_is_saved(page, endpoint, organization):
    form = {"name": "capped", "endpoint": endpoint.pk, "model": "m", "temperature": "1"}
    assert "lie between 1 and" in page.post("/agents/new/", form | {"max_tokens": "0"}).text
    page.post("/agents/new/", form | {"max_tokens": "8000"})
    assert organization.agents.get(slug="capped").max_tokens == 8000
