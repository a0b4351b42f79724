"""The catalog of models: those of the papers with their retirement dates, and those that the agent form offers.

A retired model can no longer be launched; its runs and results stay.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from agents.addresses import is_within, parts_of
from agents.prices import PriceList
from agents.providers.makers import MAKERS
from runs.models import Agent
from runs.models.agents import rates_of

CATALOG = Path(__file__).with_name("catalog.json")


@dataclass(frozen=True)
class CurrentModel:
    """A model that its maker sells today.

    maker: its name in the catalog
    context, max_output: tokens, None if not known
    """

    maker: str
    model: str
    name: str
    released: date | None
    context: int | None
    max_output: int | None
    reasoning: bool
    dated_prices: tuple[tuple[date, PriceList], ...]

    @property
    def maker_url(self) -> str:
        """The address at which the maker serves it."""
        return maker_url(self.maker)

    def prices_on(self, day: date) -> PriceList | None:
        """The prices of this day; None if the catalog has none."""
        return next((prices for start, prices in reversed(self.dated_prices) if start <= day), None)


@cache
def catalog() -> Any:
    """The content of catalog.json."""
    return json.loads(CATALOG.read_text(encoding="utf-8"))


def as_of() -> date:
    """The day on which the catalog was compared with the makers' pages."""
    return date.fromisoformat(catalog()["as_of"])


def today() -> date:
    """Today's date in UTC. Tests replace this function."""
    return datetime.now(UTC).date()


def maker_url(maker: str) -> str:
    """The address at which a maker of the catalog serves its models."""
    server = catalog()["endpoints"].get(maker)
    return str(server["base_url"]) if server else MAKERS[maker].own_url


def address_of(provider: str, base_url: str) -> str:
    """The address at which an endpoint's models are called."""
    return base_url or MAKERS[provider].own_url


def is_at_maker(address: str, url: str) -> bool:
    """Whether an address is the maker's own: the maker's host, or a region of it such as eu.api.openai.com."""
    host = parts_of(url).hostname
    return parts_of(address).scheme == "https" and host is not None and is_within(address, host)


def is_served_by_its_maker(provider: str, base_url: str) -> bool:
    """Whether an endpoint calls its models at a maker's own address, not at a deployment, gateway or other server."""
    address = address_of(provider, base_url)
    return any(is_at_maker(address, maker_url(maker)) for maker in {*catalog()["endpoints"], *MAKERS})


@cache
def current_models() -> tuple[CurrentModel, ...]:
    """The models to offer, sorted by maker."""
    return tuple(
        CurrentModel(
            maker=row["provider"],
            released=date.fromisoformat(row["released"]) if row["released"] else None,
            dated_prices=tuple(map(_dated_prices, row["prices"])),
            **{name: row[name] for name in ("model", "name", "context", "max_output", "reasoning")},
        )
        for row in catalog()["models"]
    )


def current_models_at(provider: str, base_url: str) -> list[CurrentModel]:
    """The models to offer at an endpoint. Empty if the endpoint is not at a maker's own address."""
    return [model for model in current_models() if is_at_maker(address_of(provider, base_url), model.maker_url)]


def release_dates() -> dict[str, date]:
    """The release dates of the papers' models, by model name."""
    return {row["name"]: date.fromisoformat(row["released"]) for row in catalog()["llms"]}


def release_date_of(model: str) -> date | None:
    """The release date that the catalog has for a model id. None if it has none."""
    rows = (*catalog()["llms"], *catalog()["models"])
    released = next((row["released"] for row in rows if row["model"] == model), None)
    return date.fromisoformat(released) if released else None


def _dated_prices(row: Mapping[str, Any]) -> tuple[date, PriceList]:
    tiers = tuple((tier["above"], rates_of(tier)) for tier in row.get("long_input", ()))
    return date.fromisoformat(row["from"]) if row["from"] else date.min, PriceList(rates_of(row), tiers)


WARNED_BEFORE = timedelta(days=60)


@dataclass(frozen=True)
class Retirement:
    """The retirement of an agent's model, as of a given day.

    replaced_by: id of the successor model, empty if unknown
    doubt: a sentence on why the agent may still work after the date; empty if it calls exactly this model at its maker
    """

    retires_on: date
    replaced_by: str
    doubt: str
    day: date

    @property
    def is_retired(self) -> bool:
        return not self.doubt and self.retires_on <= self.day

    @property
    def warns(self) -> bool:
        """Whether the agent can still be launched while its model's date is near or past."""
        return not self.is_retired and self.day >= self.retires_on - WARNED_BEFORE

    @property
    def sentence(self) -> str:
        """The retirement in one sentence, for pages and the API. Empty while the date is far away."""
        when = f"{self.retires_on:%-d %B %Y}{self.successor('its')}"
        if self.is_retired:
            return f"Retired on {when}."
        verb = "Was" if self.retires_on <= self.day else "Will be"
        return f"{verb} retired by its maker on {when}. {self.doubt}".strip() if self.warns else ""

    def successor(self, article: str) -> str:
        """The words about the successor, for the end of a sentence. Empty if the successor is unknown."""
        return f"; {article} successor is {self.replaced_by}" if self.replaced_by else ""


def retirement_of(agent: Agent, day: date | None = None) -> Retirement | None:
    """The retirement of an agent's model. None if no date is known. `day` defaults to today in UTC.

    The date comes from the maker's model card as read by the last connection test, else from the catalog.
    """
    if agent.endpoint is None:
        return None
    model = agent.model.strip().rpartition("/")[2]
    # An id without a date may stand for this snapshot or for another one.
    row: dict[str, Any] = next(
        (row for row in catalog()["llms"] if model and row["retires_on"] and _names(row, model)),
        {"retires_on": None, "replaced_by": ""},
    )
    doubt = ""
    if stated := agent.learned.get("retires_on"):
        row = row | {"retires_on": stated}
    elif row["retires_on"] is None:
        return None
    elif not is_at_maker(address_of(agent.provider, agent.endpoint.base_url), maker_url(row["provider"])):
        doubt = "Another server may keep it longer, so this agent can still be launched."
    elif model not in (row["model"], *row.get("aliases", ())):
        doubt = f"{model} may stand for another snapshot, so this agent can still be launched."
    return Retirement(date.fromisoformat(row["retires_on"]), row["replaced_by"], doubt, day or today())


def _names(row: Mapping[str, Any], model: str) -> bool:
    return model in (row["model"], *row.get("aliases", ())) or str(row["model"]).startswith(f"{model}-20")


def launch_error(agent: Agent) -> str:
    """Why an agent cannot be launched, in one sentence; empty if it can."""
    retirement = retirement_of(agent)
    if retirement is None or not retirement.is_retired:
        return ""
    return (
        f"{agent.name} cannot be launched, because its model was retired on {retirement.retires_on:%-d %B %Y}"
        f"{retirement.successor('the')}."
    )
