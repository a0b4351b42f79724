"""The price list where agents are added and priced."""

from __future__ import annotations

from typing import Any

import pytest

from runs.list_prices import SOURCE

pytestmark = pytest.mark.django_db

WORDS = "List price of "


def test_adding_an_agent_suggests_the_models_of_the_endpoints(page: Any, organization: Any) -> None:
    text = page.get("/agents/new/").content.decode()
    assert '<option value="gpt-5-nano">OpenAI: ' in text
    assert '<option value="claude-sonnet-4-5">Anthropic: ' in text
    assert f"List: {SOURCE}, 10 Nov 2026." in text


def test_choosing_a_model_shows_its_list_price_and_keeps_what_was_typed(page: Any, organization: Any) -> None:
    google = organization.endpoints.get(name="Google")
    typed = {"endpoint": google.pk, "model": "gemini-2.5-pro", "cached_price": "0.5"}
    text = page.get("/agents/list-prices/", typed).content.decode()
    assert f"{WORDS}Gemini 2.5 Pro: $1.25 in, $0.125 cached, $10.00 out." in text
    assert "Above 200,000 input tokens: $2.50 in, $0.25 cached, $15.00 out." in text
    assert 'value="0.5"' in text and "It is not used, since you entered a price." in text
    assert "OpenAI: " not in text
    text = page.get("/agents/list-prices/", typed | {"cached_price": ""}).content.decode()
    assert 'placeholder="1.25"' in text and "The agent gets it while all three prices are empty." in text


def test_a_model_that_the_list_does_not_know_says_so(page: Any, organization: Any) -> None:
    openai = organization.endpoints.get(name="OpenAI")
    text = page.get("/agents/list-prices/", {"endpoint": openai.pk, "model": "house-1"}).content.decode()
    assert f"{SOURCE} has no price for this model at this endpoint." in text


def test_the_list_of_a_foreign_endpoint_is_not_shown(stranger: Any, organization: Any) -> None:
    google = organization.endpoints.get(name="Google")
    text = stranger.get("/agents/list-prices/", {"endpoint": google.pk, "model": "gemini-2.5-pro"}).content.decode()
    assert WORDS not in text


def test_the_agents_page_says_which_prices_are_the_list_s(page: Any, organization: Any) -> None:
    text = page.get("/agents/").content.decode()
    assert f"list prices from {SOURCE}, 10 Nov 2026" in text
    assert "list price (more for long inputs)" in text


def test_list_prices_come_back_at_a_press(page: Any, organization: Any) -> None:
    agent = organization.agents.get(slug="gpt-5")
    page.post(f"/agents/{agent.pk}/prices/", {"input_price": "2", "cached_price": "", "output_price": "8"})
    text = page.get(f"/agents/{agent.pk}/prices/").content.decode()
    assert "Now: entered here" in text and "Use the list price: $1.25 in" in text
    page.post(f"/agents/{agent.pk}/prices/", {"list": "1"})
    assert "Use the list price" not in page.get(f"/agents/{agent.pk}/prices/").content.decode()
    agent.refresh_from_db()
    assert (str(agent.input_price), agent.price_source) == ("1.2500", f"{SOURCE}: openai/gpt-5")


def test_the_launch_form_shows_a_range_and_what_it_rests_on(page: Any, organization: Any) -> None:
    form = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0", "variants": ["main"]}
    form |= {"agents": ["gpt-4-1"], "generator": "published", "reasoning_wording": "auto"}
    text = page.post("/experiments/new/preview/", form).content.decode()
    assert "Tokens in" in text and "playing the games without a model" in text
    assert text.count('class="range"') == 4
