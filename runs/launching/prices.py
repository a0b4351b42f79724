"""Messages of a launch about prices: changed list prices, and models without a price under a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.text import get_text_list

from accounts.models import Organization, User
from agents.prices import Rates
from infrastructure.text.formats import price
from runs.list_prices import ListPrice, list_price
from runs.models import Agent


@dataclass(frozen=True)
class PriceChange:
    """An agent whose list price differs from today's list."""

    agent: Agent
    sentence: str


def newer_price(agent: Agent) -> ListPrice | None:
    """Today's list price, if the agent has a list price that differs from it; else None."""
    if not agent.price_source or agent.endpoint is None:
        return None
    listed = list_price(agent.provider, agent.endpoint.base_url, agent.model)
    return listed if listed is not None and listed.prices != agent.prices else None


def price_changes(agents: Iterable[Agent]) -> list[PriceChange]:
    """The changed list prices of these agents, as a launch shows them."""
    return [
        PriceChange(agent, _sentence(agent, listed)) for agent in agents if (listed := newer_price(agent)) is not None
    ]


def unpriced_error(
    *, unpriced: Sequence[str], organization: Organization, user: User | None, budgets: Sequence[int | None]
) -> str:
    """Why agents without a price cannot be launched, in one sentence. Empty if no budget applies.

    unpriced: names of the agents without a price
    budgets: those of the experiment and of each run, None for no cap; monthly budgets are read here
    """
    if not unpriced:
        return ""
    members = organization.memberships.filter(user=user) if user else organization.memberships.none()
    months = {organization.monthly_budget_nano, *members.values_list("monthly_budget_nano", flat=True)}
    if {*months, *budgets} == {None}:
        return ""
    whose = "a budget" if months == {None} else "the budget of this month"
    return (
        f"No price is known for {get_text_list(list(unpriced), 'and')}, so {whose} could not limit the cost: enter a price "
        "on the agent's page, $0 if it is free."
    )


def _sentence(agent: Agent, listed: ListPrice) -> str:
    old, new = agent.prices, listed.prices
    before, after = _rates_text(old.base) if old else "unknown", _rates_text(new.base)
    change = "for cached or long inputs" if before == after else f"{before} → {after} per million tokens"
    since = f" since {agent.priced_on:%-d %B %Y}" if agent.priced_on else ""
    return f"The list price of {agent.name} has changed{since}: {change}; update it on the agent's page."


def _rates_text(rates: Rates) -> str:
    """The prices of input and output: '$2.00/$10.00'."""
    return f"{price(rates.input)}/{price(rates.output)}"
