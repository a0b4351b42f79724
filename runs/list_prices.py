"""List prices of providers' models, from the package genai-prices. Our catalog adds models that the package lacks.

Nothing is downloaded: the updater of the package is never started. The package is imported on first use.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_UP, Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from agents.prices import PriceList, Rates
from runs.catalog import CurrentModel, address_of, as_of, current_models_at, today

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo
    from genai_prices.types import Provider as Listed

PACKAGE = "genai-prices"
VERSION = "0.2.3"
DATED = date(2026, 11, 10)
"""Release date of the installed version of the package. The package does not contain it, so a test checks the version."""

SOURCE = f"{PACKAGE} {VERSION}"
CATALOG_SOURCE = "EconEvals catalog"
CENT_OF_A_CENT = Decimal("0.0001")
"""Prices are stored with four decimals. They are rounded up, so that a reserved maximum is never too low."""

KEYS = {"input": "input", "output": "output", "cached": "cache_read", "cache_write": "cache_write"}
"""The package's name for each of our kinds of tokens."""


@dataclass(frozen=True)
class ListPrice:
    """A model with its prices. `name` is its id in the list, such as google/gemini-2.5-pro.

    context: size of its context in tokens, None if the list does not say
    dated: the date of the list
    """

    name: str
    title: str
    prices: PriceList
    context: int | None
    list_name: str = SOURCE
    dated: date = DATED

    @property
    def source(self) -> str:
        return f"{self.list_name}: {self.name}"

    @property
    def model(self) -> str:
        return self.name.partition("/")[2]

    def as_fields(self) -> dict[str, Any]:
        """The price fields of an agent, by name."""
        return {f"{name}_price": price for name, price in vars(self.prices.base).items()} | {
            "long_input_prices": [
                {"above": above} | {name: None if price is None else str(price) for name, price in vars(rates).items()}
                for above, rates in self.prices.tiers
            ],
            "price_source": self.source,
            "priced_on": self.dated,
        }


def list_price(provider: str, base_url: str, model: str) -> ListPrice | None:
    """The list price of a model at an endpoint's address; None if neither list has the server or the model."""
    current = (row for row in current_models_at(provider, base_url) if row.model == model)
    return package_price(provider, base_url, model) or next(filter(None, map(_catalog_price, current)), None)


def package_price(provider: str, base_url: str, model: str) -> ListPrice | None:
    """The price according to the package alone, without our catalog."""
    listed = _listed(address_of(provider, base_url))
    with suppress(LookupError):
        if listed is not None and model:
            return _priced(listed, _snapshot().find_provider_model(model, listed, None, None)[1])
    return None


def offered(provider: str, base_url: str) -> list[ListPrice]:
    """The models with a known price at an endpoint's address, sorted by name, without deprecated ones."""
    listed = _listed(address_of(provider, base_url))
    package_prices = (_priced(listed, model) for model in listed.models if not model.deprecated) if listed else ()
    catalog_prices = (list_price(provider, base_url, row.model) for row in current_models_at(provider, base_url))
    by_name = {price.name: price for price in (*package_prices, *catalog_prices) if price is not None}
    return sorted(by_name.values(), key=lambda price: price.name)


def _catalog_price(row: CurrentModel) -> ListPrice | None:
    if (prices := row.prices_on(today())) is None:
        return None
    return ListPrice(f"{row.maker}/{row.model}", row.name, prices, row.context, CATALOG_SOURCE, as_of())


@cache
def _snapshot() -> DataSnapshot:
    from genai_prices.data import providers
    from genai_prices.data_snapshot import DataSnapshot

    # A separate snapshot, so that other code in this process cannot update these prices.
    return DataSnapshot(providers=providers, from_auto_update=False)


@cache
def _listed(address: str) -> Listed | None:
    with suppress(LookupError):
        return _snapshot().find_provider(None, None, address) if address.startswith("https://") else None
    return None


def _priced(listed: Listed, model: ModelInfo) -> ListPrice | None:
    """The model with its prices at the most expensive hour of today: some providers charge less off-peak."""
    lists = []
    midnight = datetime.combine(today(), time(), UTC)
    for hour in range(0 if not model.prices else 24 if isinstance(model.prices, list) else 1):
        price = model.get_prices(midnight + timedelta(hours=hour))
        if price.input_mtok is not None and price.output_mtok is not None:
            raw_prices: dict[str, Any] = {name: getattr(price, f"{kind}_mtok") for name, kind in KEYS.items()}
            starts = sorted({tier.start for value in raw_prices.values() for tier in getattr(value, "tiers", ())})
            lists.append(
                PriceList(_rates(raw_prices, 0), tuple((start, _rates(raw_prices, start + 1)) for start in starts))
            )
    if not lists:
        return None
    prices = max(lists, key=lambda prices: (prices.base.output, prices.base.input))
    return ListPrice(f"{listed.id}/{model.id}", model.name or model.id, prices, model.context_window)


def _rates(raw_prices: dict[str, Any], tokens: int) -> Rates:
    """The prices of a query with `tokens` input tokens."""
    prices: dict[str, Any] = {}
    for name, value in raw_prices.items():
        passed = [tier.price for tier in getattr(value, "tiers", ()) if tokens > tier.start]
        price = passed[-1] if passed else getattr(value, "base", value)
        prices[name] = None if price is None else price.quantize(CENT_OF_A_CENT, ROUND_UP)
    return Rates(**prices)
