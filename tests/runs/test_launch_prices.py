"""Prices at launch: from the catalog, changed list prices, and models without a price."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.management import call_command

from agents.llm import Usage
from agents.providers.makers import MAKERS
from runs.catalog import current_models
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchError
from runs.launching.prices import price_changes
from runs.list_prices import CATALOG_SOURCE, list_price, offered, package_price
from runs.models import Agent, Experiment
from runs.services import agent_create, agent_update, experiment_launch

ARGON = (
    "The list price of Argon has changed since 10 November 2026: $2.00/$10.00 → $4.00/$20.00 per million tokens; "
    "update it on the agent's page."
)
DOLLAR = 10**9


@pytest.fixture
def on(monkeypatch):
    """Move the date of the price list."""
    return lambda day: monkeypatch.setattr("runs.list_prices.today", lambda: day)


@pytest.fixture
def added(organization):
    """A new agent at one of the makers' endpoints."""

    def add(endpoint, model, **options):
        endpoint = organization.endpoints.get(name=endpoint)
        return agent_create(organization=organization, name=model, endpoint=endpoint, model=model, **options)

    return add


@pytest.fixture
def argon(added, on):
    on(date(2026, 11, 30))
    agent = added("Google", "gemini-4-argon")
    agent_update(agent=agent, name="Argon")
    return agent


def test_the_catalog_prices_models_that_are_missing_from_the_list(added):
    sol = added("OpenAI", "gpt-6.2-sol")
    assert package_price("openai", "", "gpt-6.2-sol") is None
    assert (sol.price_source, sol.priced_on) == (f"{CATALOG_SOURCE}: openai/gpt-6.2-sol", date(2026, 11, 26))
    assert sol.cost_nano(Usage(272_000, 0, 0, 1000)) == 272_000 * 2000 + 1000 * 10_000
    assert sol.cost_nano(Usage(272_001, 0, 0, 1000)) == 272_001 * 4000 + 1000 * 15_000
    assert "openai/gpt-6.2-sol" in {price.name for price in offered("openai", "")}
    assert list_price("openai-compatible", "https://lab.openai.azure.com/openai/v1", "gpt-6.2-sol") is None


def test_the_catalog_agrees_with_the_list_where_both_have_a_price(on):
    for day in (date(2026, 11, 26), date(2026, 12, 1), date(2027, 1, 1)):
        on(day)
        for row in current_models():
            listed = package_price("openai-compatible", row.maker_url, row.model)
            prices = row.prices_on(day)
            if listed and prices:
                assert (prices.base.input, prices.base.output) == (listed.prices.base.input, listed.prices.base.output)


def test_the_command_lists_models_without_a_list_price(capsys):
    call_command("check_catalog")
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"gpt-6.2-{name}: genai-prices 0.2.3 does not have it." for name in ("astra", "sol")]


def test_the_command_reports_a_different_price(monkeypatch, capsys):
    monkeypatch.setattr("runs.management.commands.check_catalog.today", lambda: date(2026, 12, 1))
    monkeypatch.setattr("runs.list_prices.today", lambda: date(2026, 11, 30))
    call_command("check_catalog")
    assert (
        "gemini-4-argon: the catalog has $4.00/$20.00; genai-prices 0.2.3 has $2.00/$10.00." in capsys.readouterr().out
    )


def test_a_changed_list_price_is_reported_until_the_agent_is_updated(argon, plan, on, organization):
    assert price_changes([argon]) == []
    on(date(2026, 12, 1))
    assert [change.sentence for change in estimate(plan(argon.slug), organization).price_changes] == [ARGON]
    agent_update(agent=argon, from_list=True)
    assert (argon.input_price, price_changes([argon])) == (4, [])


def test_entered_prices_are_not_compared_with_the_list(argon, on):
    agent_update(agent=argon, input_price=Decimal(1), output_price=Decimal(1))
    on(date(2026, 12, 1))
    assert price_changes([argon]) == []


def test_changed_prices_of_cached_or_long_inputs_are_reported(added):
    luna = added("OpenAI", "gpt-6-luna")
    Agent.objects.filter(pk=luna.pk).update(long_input_prices=[])
    luna.refresh_from_db()
    (change,) = price_changes([luna])
    assert ": for cached or long inputs; update it on the agent's page." in change.sentence


def test_the_commands_print_changed_prices(argon, on, capsys):
    on(date(2026, 12, 1))
    words = ("--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--agent", argon.slug)
    for command in ("estimate", "launch"):
        call_command(command, *words)
        assert ARGON in capsys.readouterr().out


@pytest.fixture
def unpriced(added):
    return added("OpenAI", "house-1").slug


@pytest.mark.parametrize("cap", ["experiment", "run", "member", "organization"])
def test_a_model_without_a_price_cannot_be_launched_under_a_cap(organization, alice, plan, unpriced, cap):
    monthly = DOLLAR if cap == "member" else None
    organization.memberships.filter(user=alice).update(monthly_budget_nano=monthly)
    organization.monthly_budget_nano = DOLLAR if cap == "organization" else None
    capped = plan(unpriced, "gpt-5", run_budget_nano=DOLLAR if cap == "run" else None)
    budget_nano = DOLLAR if cap == "experiment" else None
    with pytest.raises(LaunchError) as error:
        experiment_launch(organization=organization, user=alice, plan=capped, budget_nano=budget_nano)
    whose = "the budget of this month" if cap in ("member", "organization") else "a budget"
    sentence = (
        f"No price is known for house-1, so {whose} could not limit the cost: enter a price on the agent's page, "
    )
    assert error.value.errors == {"agents": f"{sentence}$0 if it is free."}
    assert not Experiment.objects.exists()


def test_a_model_without_a_price_is_launched_without_a_cap_or_with_entered_prices(
    organization, alice, plan, unpriced, agent
):
    assert experiment_launch(organization=organization, user=alice, plan=plan(unpriced)).runs.count() == 1
    agent_update(agent=agent(unpriced), input_price=Decimal(0), output_price=Decimal(0))
    capped = {"plan": plan(unpriced), "budget_nano": DOLLAR}
    assert experiment_launch(organization=organization, user=alice, **capped).runs.count() == 1


def test_list_prices_apply_only_at_the_own_address_of_a_maker(monkeypatch):
    rows = [row for row in current_models() if row.maker == "openai"]
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(type(MAKERS["openai"]), "own_url", "http://127.0.0.1:9/v1")
        assert not offered("openai", "") and not list_price("openai", "", rows[0].model)
    assert all(list_price("openai", "", row.model) for row in rows) and len(offered("openai", "")) > len(rows)
