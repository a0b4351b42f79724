"""Agents and endpoints: keys go in and never come out."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.django_db

KEY = "sk-a-very-secret-key-9876"


def test_a_key_is_stored_and_only_its_end_is_shown(page: Any, organization: Any) -> None:
    endpoint = organization.endpoints.get(name="OpenAI")
    page.post(f"/agents/endpoints/{endpoint.pk}/key/", {"key": KEY})
    text = page.get("/agents/").content.decode()
    assert "…9876" in text
    assert KEY not in text
    assert KEY not in page.get(f"/agents/endpoints/{endpoint.pk}/key/").content.decode()


def test_a_wrong_key_is_not_echoed(page: Any, organization: Any) -> None:
    endpoint = organization.endpoints.get(name="OpenAI")
    response = page.post(f"/agents/endpoints/{endpoint.pk}/key/", {"key": "sk wrong key"})
    assert response.status_code == 422
    assert "sk wrong key" not in response.content.decode()


def test_an_endpoint_and_an_agent_are_added(page: Any, organization: Any) -> None:
    page.post(
        "/agents/endpoints/new/",
        {"name": "House", "provider": "openai-compatible", "base_url": "http://127.0.0.1:9/v1", "key": ""},
    )
    endpoint = organization.endpoints.get(name="House")
    form = {
        "name": "house-model",
        "endpoint": endpoint.pk,
        "model": "house-1",
        "temperature": "1",
        "input_price": "0.5",
    }
    page.post("/agents/new/", form)
    agent = organization.agents.get(slug="house-model")
    assert (agent.model, agent.provider, str(agent.input_price)) == ("house-1", "openai-compatible", "0.5000")
    assert "API key not required" in page.get("/agents/").content.decode()


def test_wrong_fields_are_told_beside_them(page: Any, organization: Any) -> None:
    text = page.post("/agents/new/", {"name": "", "model": "", "input_price": "-1"}).content.decode()
    for sentence in ("Give the agent a name.", "Give the model id.", "A price cannot be negative."):
        assert sentence in text


def test_prices_change_for_what_is_still_to_come(page: Any, organization: Any) -> None:
    agent = organization.agents.get(slug="gpt-5")
    page.post(f"/agents/{agent.pk}/prices/", {"input_price": "2", "cached_price": "", "output_price": "8"})
    agent.refresh_from_db()
    assert (agent.input_price, agent.cached_price, agent.output_price) == (2, None, 8)


def test_an_agent_of_a_foreign_endpoint_is_refused(stranger: Any, organization: Any) -> None:
    endpoint = organization.endpoints.get(name="OpenAI")
    response = stranger.post("/agents/new/", {"name": "theft", "endpoint": endpoint.pk, "model": "m"})
    assert response.status_code == 422
    assert "Choose one of your endpoints." in response.content.decode()


def test_a_connection_test_without_a_key_says_so(page: Any, organization: Any) -> None:
    organization.allow_environment_keys = False
    organization.save()
    agent = organization.agents.get(slug="gpt-5")
    assert "There is no key for OpenAI yet" in page.post(f"/agents/{agent.pk}/test/").content.decode()
