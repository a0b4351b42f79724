"""Agents by API: created with all settings, changed until they play, duplicated, archived."""

import pytest

from accounts.models import AuditEntry
from tests.api.conftest import LAUNCH, fields

HOUSE = {
    "name": "House one",
    "model": "house-1",
    "reasoning": True,
    "reasoning_effort": "high",
    "temperature": None,
    "max_tokens": 8000,
    "extra_parameters": {"top_p": 0.9},
    "calls_at_once": 2,
    "release_date": "2026-01-31",
    "input_price": 1.25,
    "cached_price": None,
    "output_price": 10,
}


@pytest.fixture
def house(owning, organization):
    """The answer to an agent that was added with all its settings."""
    answer = owning.post("/agents", HOUSE | {"endpoint": organization.endpoints.get(name="OpenAI").pk})
    assert answer.status_code == 201, answer.content
    return answer.json()


def ok(response):
    assert response.status_code == 200, response.content
    return response.json()


def test_an_agent_is_added_with_all_its_settings(owning, house, organization):
    assert {name: house[name] for name in HOUSE} == HOUSE
    assert (house["slug"], house["is_archived"]) == ("house-one", False)
    assert ok(owning.get("/agents/house-one")) == house


def test_a_change_affects_only_the_given_fields(owning, house, alice):
    changed = ok(owning.send("PATCH", "/agents/house-one", {"name": "House two", "calls_at_once": None}))
    assert changed == house | {"name": "House two", "calls_at_once": None}
    assert ok(owning.send("PATCH", "/agents/house-one", {"output_price": 8.5})) == changed | {"output_price": 8.5}
    entry = AuditEntry.objects.filter(action="agent.changed").first()
    assert (entry.actor, entry.subject) == (alice, "House one: name House one → House two; calls at once 2 → none")


WRONG = [
    ({}, "body", "Say what to change, such as name or release_date."),
    ({"slug": "new"}, "slug", "There is no such field."),
    ({"name": ""}, "name", "Give the agent a name."),
    ({"name": "GPT-5"}, "name", "There is an agent of this name already."),
    ({"endpoint": 10**9}, "endpoint", "Choose one of your endpoints."),
    (
        {"reasoning_effort": "utmost"},
        "reasoning_effort",
        "This must be '', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh' or 'max'.",
    ),
    ({"calls_at_once": 0}, "calls_at_once", "This must be at least 1."),
    ({"release_date": "1999-01-01"}, "release_date", "A release date lies between 2000 and 2100."),
    ({"extra_parameters": []}, "extra_parameters", "This must be an object."),
    ({"extra_parameters": {"stream": True}}, "extra_parameters", "stream is set by EconEvals or by a field of its own"),
    ({"extra_parameters": {"a": {"api_key": 1}}}, "extra_parameters", "api_key looks like a key."),
    ({"extra_parameters": {"a": 9 * 1024 * "x"}}, "extra_parameters", "The extra parameters have at most 8,192 bytes"),
    ({"extra_parameters": {"a": "\x00"}}, "extra_parameters", "The extra parameters have a character"),
    ({"extra_parameters": {"reasoning_effort": "max"}}, "extra_parameters", "Leave reasoning_effort out here"),
    ({"output_price": 1.23456}, "output_price", "A price has at most four decimals."),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("change", "field", "sentence"), WRONG, ids=[f"{c[1]}-{i}" for i, c in enumerate(WRONG)])
def test_a_wrong_change_gets_a_sentence_at_its_field(owning, house, change, field, sentence):
    found = fields(owning.send("PATCH", "/agents/house-one", change))
    assert list(found) == [field] and found[field].startswith(sentence)
    assert ok(owning.get("/agents/house-one")) == house


@pytest.mark.long
def test_an_agent_with_runs_is_frozen_and_can_be_duplicated(owning, house):
    assert owning.post("/experiments", LAUNCH | {"agents": ["house-one"]}).status_code == 201
    found = fields(owning.send("PATCH", "/agents/house-one", {"reasoning_effort": "low", "max_tokens": 9000}))
    assert list(found) == ["reasoning_effort", "max_tokens"] and "Duplicate the agent instead." in found["max_tokens"]
    ok(owning.send("PATCH", "/agents/house-one", {"release_date": None}))
    answer = owning.post("/agents/house-one/duplicate", {"reasoning_effort": "low"}, Idempotency_Key="low")
    assert answer.status_code == 201
    copied = answer.json()
    same = set(HOUSE) - {"name", "reasoning_effort", "release_date"}
    assert {name: copied[name] for name in same} == {name: HOUSE[name] for name in same}
    assert (copied["slug"], copied["reasoning_effort"], copied["runs"]) == ("house-one-2", "low", 0)
    again = owning.post("/agents/house-one/duplicate", {"reasoning_effort": "low"}, Idempotency_Key="low")
    assert again.json() == copied and again["Idempotency-Replayed"] == "true"
    assert fields(owning.post("/agents/house-one/duplicate", {"name": "House one"}))["name"].startswith("There is an")


def test_a_baseline_has_no_settings(owning):
    assert "language models" in owning.send("PATCH", "/agents/random", {"name": "Luck"}).json()["error"]["message"]
    assert "no settings" in fields(owning.post("/agents/random/duplicate", {}))["body"]
    assert "language models" in owning.post("/agents/random/archive").json()["error"]["message"]


@pytest.mark.long
def test_an_archived_agent_is_listed_apart_and_not_launched(owning, house):
    for _ in range(2):
        assert ok(owning.post("/agents/house-one/archive"))["is_archived"]
    slugs = lambda **query: {one["slug"] for one in ok(owning.get("/agents", limit=200, **query))["items"]}  # noqa: E731
    assert slugs(archived="true") == {"house-one"} and "house-one" not in slugs(archived="false")
    assert "house-one" in slugs()
    told = "House one is archived. Unarchive it on its page to launch it."
    for path in ("/experiments", "/estimate"):
        assert fields(owning.post(path, LAUNCH | {"agents": ["house-one"]})) == {"agents": told}
    market = {"environments": ["collusiveness_vs_competitiveness"], "difficulties": ["STANDARD"]}
    body = LAUNCH | market | {"agents": ["collusion-nash"], "rival": "house-one"}
    assert fields(owning.post("/experiments", body)) == {"rival": told}
    assert not ok(owning.post("/agents/house-one/unarchive"))["is_archived"]
    assert owning.post("/experiments", LAUNCH | {"agents": ["house-one"]}).status_code == 201


def test_removed_prices_are_replaced_by_list_prices(owning, organization):
    ok(owning.send("PUT", "/agents/gpt-5/prices", {"input_price": 2, "output_price": 8}))
    listed = ok(owning.send("PUT", "/agents/gpt-5/prices", {}))
    assert (listed["input_price"], listed["cached_price"], listed["output_price"]) == (1.25, 0.125, 10)
    assert listed["price_source"]
