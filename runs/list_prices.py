"""List prices of providers' models, from the data in the package genai-prices.

No network: the updater of the package is never started. The package is imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_UP, Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from agents.prices import PriceList, Rates
from agents.providers import PROVIDERS

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices
    from genai_prices.types import Provider as Listed

PACKAGE = "genai-prices"
VERSION = "0.2.3"
DATED = date(2026, 11, 10)
"""Release date of this version, which the package itself does not have. A test compares the version."""

SOURCE = f"{PACKAGE} {VERSION}"
CENT_OF_A_CENT = Decimal("0.0001")
"""Prices are stored with four decimals, rounded up so that a reserved maximum is never too low."""

KEYS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


@dataclass(frozen=True)
class ListPrice:
    """A model with its prices. `name` is its id in the list, such as google/gemini-2.5-pro."""

    name: str
    title: str
    prices: PriceList

    @property
    def source(self) -> str:
        return f"{SOURCE}: {self.name}"

    def as_fields(self) -> dict[str, Any]:
        """The price fields of an agent."""
        base = self.prices.base
        return {
            "input_price": base.input,
            "cached_price": base.cached,
            "cache_write_price": base.cache_write,
            "output_price": base.output,
            "long_input_prices": [
                {"above": above} | {name: None if price is None else str(price) for name, price in vars(rates).items()}
                for above, rates in self.prices.tiers
            ],
            "price_source": self.source,
            "priced_on": DATED,
        }


def list_price(provider: str, base_url: str, model: str) -> ListPrice | None:
    """The list price of a model at an endpoint's address; None if the list does not have the server or the model."""
    listed = _listed(provider, base_url)
    if listed is None or not model:
        return None
    try:
        _, found = _snapshot().find_provider_model(model, listed, None, None)
    except LookupError:
        return None
    return _priced(listed, found)


def offered(provider: str, base_url: str) -> list[ListPrice]:
    """The models of the list at an endpoint's address, by name."""
    listed = _listed(provider, base_url)
    if listed is None:
        return []
    found = (_priced(listed, model) for model in listed.models)
    return sorted((price for price in found if price is not None), key=lambda price: price.name)


@cache
def _snapshot() -> DataSnapshot:
    from genai_prices.data import providers
    from genai_prices.data_snapshot import DataSnapshot

    # A separate snapshot, so that other code in this process cannot update these prices.
    return DataSnapshot(providers=providers, from_auto_update=False)


@cache
def _listed(provider: str, base_url: str) -> Listed | None:
    address = base_url or PROVIDERS[provider].own_url
    if not address.startswith("https://"):
        return None
    try:
        return _snapshot().find_provider(None, None, address)
    except LookupError:
        return None


def _priced(listed: Listed, model: ModelInfo) -> ListPrice | None:
    lists = map(_price_list, _today(model))
    prices = max(lists, key=lambda prices: (prices.base.output, prices.base.input), default=None)
    return None if prices is None else ListPrice(f"{listed.id}/{model.id}", model.name or model.id, prices)


def _today(model: ModelInfo) -> Iterator[ModelPrice]:
    """Yield the known prices of each hour of the day: some providers charge less off-peak."""
    if isinstance(model.prices, list) and not model.prices:
        return
    midnight = datetime.combine(datetime.now(UTC).date(), time(), UTC)
    for hour in range(24 if isinstance(model.prices, list) else 1):
        found = model.get_prices(midnight + timedelta(hours=hour))
        if found.input_mtok is not None and found.output_mtok is not None:
            yield found


def _price_list(price: ModelPrice) -> PriceList:
    of_kind: dict[str, Decimal | TieredPrices | None] = {name: getattr(price, key) for name, key in KEYS.items()}
    starts = sorted({tier.start for value in of_kind.values() for tier in getattr(value, "tiers", ())})
    return PriceList(_rates(of_kind, 0), tuple((start, _rates(of_kind, start + 1)) for start in starts))


def _rates(of_kind: dict[str, Decimal | TieredPrices | None], tokens: int) -> Rates:
    found = {name: None if value is None else _at(value, tokens) for name, value in of_kind.items()}
    return Rates(**found)  # type: ignore[arg-type]


def _at(value: Decimal | TieredPrices, tokens: int) -> Decimal:
    """The price of a query with so many input tokens."""
    if not isinstance(value, Decimal):
        passed = [tier.price for tier in value.tiers if tokens > tier.start]
        value = passed[-1] if passed else value.base
    return value.quantize(CENT_OF_A_CENT, ROUND_UP)
