"""Agents and endpoints for the Agents page and the launch form, with prices as text and models to choose from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Lower
from django.shortcuts import get_object_or_404

from accounts.models import Endpoint, Organization
from agents.baselines.registry import BASELINES
from agents.prices import PriceList, Rates
from infrastructure.text.formats import compact, price
from runs.catalog import CurrentModel, Retirement, current_models, current_models_at, retirement_of
from runs.estimating.estimates import lacks_key
from runs.list_prices import ListPrice, list_price, offered
from runs.models import Agent, PlayerClass, Run
from runs.selectors.cells import environment_title
from runs.services.agents import free_name

KEYS = {
    "free": ("free", "faint"),
    "set": ("key stored", "good"),
    "variable": ("key from the environment", "good"),
    "none": ("API key not required", "soft"),
    "missing": ("API key missing", "warn"),
}
"""Text and tone for each state of an agent's key."""

KEPT = Q(runs__deleted_at=None)

MODELS, PLAYS_A_RULE = Q(baseline=""), ~Q(baseline="")
"""Kinds of agents: language models, and baselines."""


@dataclass(frozen=True)
class AgentRow:
    """An agent in a list.

    key: 'free' (baseline), 'set' (stored), 'variable' (environment variable), 'none' (own server) or 'missing'
    """

    agent: Agent
    runs: int
    key: str

    @property
    def group(self) -> str:
        titles = {
            "Baselines": self.agent.is_baseline,
            "Archived": self.agent.archived_at,
            "Retired": self.is_retired,
            "Language models without a key": self.key == "missing",
        }
        return next((title for title, applies in titles.items() if applies), "Language models")

    @property
    def is_in_use(self) -> bool:
        """Whether the agent has runs, or could play now."""
        return self.runs > 0 or self.key != "missing"

    def matches(self, text: str) -> bool:
        """Whether name, model or endpoint contains each word of the text."""
        agent = self.agent
        names = f"{agent.name} {agent.model} {agent.endpoint.name if agent.endpoint else ''}".lower()
        return all(word in names for word in text.lower().split())

    @cached_property
    def retirement(self) -> Retirement | None:
        return retirement_of(self.agent)

    @property
    def is_retired(self) -> bool:
        return self.retirement is not None and self.retirement.is_retired

    @property
    def is_offered(self) -> bool:
        """Whether the agent can be chosen for a launch."""
        return not self.agent.archived_at and not self.is_retired

    @property
    def about(self) -> str:
        """Provider, model and reasoning effort, or a description of a baseline."""
        if self.agent.is_baseline:
            return BASELINES[self.agent.baseline].description if self.agent.baseline in BASELINES else ""
        effort = f"effort {self.agent.reasoning_effort}" if self.agent.reasoning_effort else ""
        return " · ".join(filter(None, (self.agent.provider, self.agent.model, effort)))

    @property
    def plays(self) -> str:
        if self.agent.is_baseline and self.agent.baseline in BASELINES:
            return ", ".join(environment_title(name) for name in BASELINES[self.agent.baseline].environments)
        return "every environment"

    @property
    def key_state(self) -> tuple[str, str]:
        """Text and tone of the state of the key."""
        return KEYS[self.key]


def agent_rows(*, organization: Organization, kind: Q | None = None, counted: bool = False) -> list[AgentRow]:
    """Agents in groups, each sorted by name: models with a key, models without, retired, baselines, archived.

    kind: MODELS or PLAYS_A_RULE, by default both. counted: whether to count the runs of each agent
    """
    agents = agents_of(organization=organization).filter(kind or Q()).order_by("name")
    if counted:
        runs = Run.objects.filter(agent=OuterRef("pk")).order_by().values("agent")
        agents = agents.annotate(run_count=Coalesce(Subquery(runs.annotate(n=Count("id")).values("n")), 0))

    def order(row: AgentRow) -> tuple[object, ...]:
        agent = row.agent
        return bool(agent.archived_at), agent.is_baseline, row.is_retired, row.key == "missing", agent.name.lower()

    return sorted((row_of(agent, organization) for agent in agents), key=order)


def agents_of(*, organization: Organization) -> QuerySet[Agent]:
    """Agents that can play, including archived ones, with their endpoint."""
    return Agent.objects.filter(Agent.playable(), organization=organization).select_related("endpoint")


def imported_agents(*, organization: Organization) -> dict[str, int]:
    """The number of imported agents and of their runs. Imported agents cannot play and are not listed."""
    return Agent.objects.filter(organization=organization, imported=True).aggregate(
        agents=Count("id", distinct=True), runs=Count("runs", filter=KEPT)
    )


def outside_agents(*, organization: Organization) -> QuerySet[Agent]:
    """Outside agents and people by name, with `run_count` and `latest`, the time of the newest run."""
    players = Agent.objects.filter(organization=organization, imported=False).exclude(player_class=PlayerClass.SITE)
    numbers = {"run_count": Count("runs", filter=KEPT), "latest": Max("runs__created_at", filter=KEPT)}
    return players.annotate(**numbers).order_by(Lower("name"), "slug")


def row_of(agent: Agent, organization: Organization) -> AgentRow:
    """The row of an agent that `agents_of` returned, or of a new agent."""
    if agent.is_baseline:
        key = "free"
    elif agent.endpoint is None or lacks_key(agent, organization):
        key = "missing"
    elif agent.endpoint.has_key:
        key = "set"
    else:
        key = "none" if agent.endpoint.base_url else "variable"
    return AgentRow(agent, getattr(agent, "run_count", 0), key)


def model_or_404(*, organization: Organization, agent_id: int) -> Agent:
    """The agent, if it is a language model at an endpoint. Raises Http404 otherwise."""
    return get_object_or_404(agents_of(organization=organization), baseline="", pk=agent_id)


def endpoint_or_404(*, organization: Organization, endpoint_id: int) -> Endpoint:
    return get_object_or_404(Endpoint, organization=organization, pk=endpoint_id)


def baseline_slugs(*, organization: Organization) -> list[str]:
    """Slugs of the baselines, which are the default agents of a launch."""
    return list(Agent.objects.filter(organization=organization).exclude(baseline="").values_list("slug", flat=True))


def current_offers(*, organization: Organization) -> list[tuple[Endpoint, list[tuple[CurrentModel, str]]]]:
    """The current models of each endpoint at the address of a model maker, such as OpenAI, with price and context."""
    return [
        (endpoint, [(row, _about(endpoint, row)) for row in models])
        for endpoint in organization.endpoints.order_by("name")
        if (models := current_models_at(endpoint.provider, endpoint.base_url))
    ]


def filled_in(*, organization: Organization, endpoint: Endpoint | None, model: str) -> dict[str, Any]:
    """Initial values of the form for a model at an endpoint. Prices stay empty, since the price list has them."""
    values: dict[str, Any] = {"model": model} | ({"endpoint": endpoint} if endpoint else {})
    listed_model = next((row for row in current_models() if row.model == model), None)
    if listed_model is None:
        return values
    values |= {"name": free_name(organization, listed_model.name), "release_date": listed_model.released}
    return values | {"reasoning": listed_model.reasoning, "temperature": None if listed_model.reasoning else 1.0}


def _about(endpoint: Endpoint, row: CurrentModel) -> str:
    """Price and context length of a model, as '$2.00 / $10.00, 1.0M'."""
    listed = list_price(endpoint.provider, endpoint.base_url, row.model)
    rates = listed.prices.base if listed else None
    price_text = f"{price(rates.input)} / {price(rates.output)}" if rates else "price not known"
    return f"{price_text}, {compact(row.context)}" if row.context else price_text


def offers(endpoint: Endpoint | None) -> list[tuple[str, str]]:
    """(id, label) of the models with a price at an endpoint, current ones first.

    A label is 'GPT-5, reads 400,000 tokens, $1.25 in, $10.00 out'.
    """
    if endpoint is None:
        return []
    current = {row.model for row in current_models_at(endpoint.provider, endpoint.base_url)}
    prices = sorted(offered(endpoint.provider, endpoint.base_url), key=lambda offer: offer.model not in current)
    return [(offer.model, _label(offer)) for offer in prices]


def _label(offer: ListPrice) -> str:
    reads = f"reads {offer.context:,} tokens" if offer.context else ""
    return ", ".join(filter(None, (offer.title, reads, rates_in_words(offer.prices.base))))


def listed(endpoint: Endpoint | None, model: str) -> ListPrice | None:
    return list_price(endpoint.provider, endpoint.base_url, model.strip()) if endpoint else None


def prices_now(agent: Agent) -> str:
    """The agent's prices and their source, as text; empty if it has none."""
    if agent.prices is None:
        return ""
    origin = (agent.price_source or "entered here") + (f", {agent.priced_on:%-d %b %Y}" if agent.priced_on else "")
    return f"Now {rates_in_words(agent.prices.base)} ({origin}). {tiers_in_words(agent.prices)}".strip()


def rates_in_words(rates: Rates) -> str:
    """The rates as text: '$1.25 in, $0.125 cached, $10.00 out'."""
    parts = (("in", rates.input), ("cached", rates.cached), ("cache writes", rates.cache_write), ("out", rates.output))
    return ", ".join(f"{price(value)} {what}" for what, value in parts if value is not None)


def tiers_in_words(prices: PriceList | None) -> str:
    """The price tiers as text: 'Above 200,000 input tokens: $2.50 in, $15.00 out.' Empty if there are none."""
    return " ".join(
        f"Above {above:,} input tokens: {rates_in_words(rates)}." for above, rates in (prices.tiers if prices else ())
    )
