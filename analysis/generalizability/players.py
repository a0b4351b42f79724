"""Agents and published models with their names, models and makers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from accounts.models import Organization, Provider
from agents.providers.model_names import family
from analysis.base.table import Kind, kind_of
from runs.catalog import catalog
from runs.models import Agent


@dataclass(frozen=True)
class Player:
    """An agent, or a published model.

    key: the agent's id, or the name of the model
    model: agents with the same model are one model
    maker: name of the maker; empty if unknown
    aliases: names under which outside columns may have it
    address: base URL of its endpoint
    """

    key: int | str
    name: str
    model: str
    maker: str
    kind: Kind
    released: date | None
    slug: str = ""
    provider: str = ""
    address: str = ""
    aliases: tuple[str, ...] = ()
    prices: tuple[Decimal | None, Decimal | None] = (None, None)

    @property
    def names_in_order(self) -> list[str]:
        """Its names in lower case, the most specific first."""
        return [name.casefold() for name in (self.name, self.slug, self.model, *self.aliases) if name]


def own_players(organization: Organization, slugs: Iterable[str] = ()) -> dict[int, Player]:
    """The organization's agents by id, without baselines. slugs: only these agents; all if empty. One query."""
    agents = Agent.objects.filter(organization=organization, baseline="").select_related("endpoint")
    named = agents.filter(slug__in=slugs) if slugs else agents
    return {agent.pk: _player(agent) for agent in named.order_by("name", "pk")}


def _player(agent: Agent) -> Player:
    return Player(
        key=agent.pk,
        name=agent.name,
        model=agent.model or agent.name,
        maker=maker_of(agent.model, agent.provider),
        kind=kind_of(agent.imported, False, agent.player_class),
        released=agent.release_date,
        slug=agent.slug,
        provider=agent.provider,
        address=agent.endpoint.base_url if agent.endpoint else "",
        prices=(agent.input_price, agent.output_price),
    )


@cache
def published_players() -> dict[str, Player]:
    """The models of the papers by name."""
    return {
        row["name"]: Player(
            key=row["name"],
            name=row["name"],
            model=row["name"],
            maker=maker_name(row["provider"]),
            kind=Kind.PUBLISHED,
            released=date.fromisoformat(row["released"]),
            slug=row["slug"],
            provider=row["provider"],
            aliases=(row["model"], *row.get("aliases", ())),
        )
        for row in catalog()["llms"]
    }


def maker_name(maker: str) -> str:
    """The name of a maker of the catalog."""
    endpoint: Any = catalog()["endpoints"].get(maker)
    return str(endpoint["name"]) if endpoint else str(Provider(maker).label)


@cache
def _makers() -> dict[str, str]:
    """The makers of the catalog's models, by the family of the model's id."""
    rows = (*catalog()["llms"], *catalog()["models"])
    return {family(name): row["provider"] for row in rows for name in (row["model"], *row.get("aliases", ()))}


def maker_of(model: str, provider: str) -> str:
    """The name of a model's maker by the catalog, else by the agent's provider; empty if neither says."""
    maker = _makers().get(family(model))
    if maker is None and provider in (Provider.OPENAI, Provider.ANTHROPIC):
        maker = provider
    return maker_name(maker) if maker else ""
