"""The catalog of models: those of the papers, with their retirements, and those that the agent form offers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from agents.addresses import is_within, parts_of
from agents.prices import PriceList, Rates
from agents.providers.makers import MAKERS

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
    """In UTC. Tests replace it."""
    return datetime.now(UTC).date()


def maker_url(maker: str) -> str:
    """The address at which a maker of the catalog serves its models."""
    server = catalog()["endpoints"].get(maker)
    return str(server["base_url"]) if server else MAKERS[maker].own_url


def address_of(provider: str, base_url: str) -> str:
    """Where an endpoint's models are called."""
    return base_url or MAKERS[provider].own_url


def is_at_maker(address: str, url: str) -> bool:
    """Whether an address is a maker's own: its host, or a region of it such as eu.api.openai.com."""
    host = parts_of(url).hostname
    return parts_of(address).scheme == "https" and host is not None and is_within(address, host)


def is_served_by_its_maker(provider: str, base_url: str) -> bool:
    """Whether models of an endpoint are called at a maker's own address: not at a deployment, gateway or server of others."""
    address = address_of(provider, base_url)
    makers = {*catalog()["endpoints"], *MAKERS}
    return any(is_at_maker(address, maker_url(maker)) for maker in makers)


@cache
def current_models() -> tuple[CurrentModel, ...]:
    """The models to offer, by maker."""
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
    """The models to offer at an endpoint, empty if it is not a maker's own address."""
    address = address_of(provider, base_url)
    return [model for model in current_models() if is_at_maker(address, model.maker_url)]


def release_dates() -> dict[str, date]:
    """Of the models of the papers, by the name of the model."""
    return {row["name"]: date.fromisoformat(row["released"]) for row in catalog()["llms"]}


def release_date_of(model: str) -> date | None:
    """When the catalog says that the model of this id was released."""
    rows = (*catalog()["llms"], *catalog()["models"])
    released = next((row["released"] for row in rows if row["model"] == model), None)
    return date.fromisoformat(released) if released else None


def _dated_prices(row: Mapping[str, Any]) -> tuple[date, PriceList]:
    start = date.fromisoformat(row["from"]) if row["from"] else date.min
    tiers = tuple((tier["above"], _rates(tier)) for tier in row.get("long_input", ()))
    return start, PriceList(_rates(row), tiers)


def _rates(row: Mapping[str, str]) -> Rates:
    prices: dict[str, Any] = {name: Decimal(row[name]) if name in row else None for name in Rates.__annotations__}
    return Rates(**prices)
