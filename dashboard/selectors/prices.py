"""Prices as text, and the models of the price list that an organization can use."""

from collections.abc import Iterable

from accounts.models import Endpoint, Organization
from agents.prices import PriceList, Rates
from infrastructure.text.formats import price
from runs.list_prices import ListPrice, list_price, offered


def offers(*, organization: Organization, endpoint: Endpoint | None = None) -> list[tuple[str, str]]:
    """(id, label with endpoint and price) of the price list's models at one endpoint, or at all of the organization's."""
    endpoints: Iterable[Endpoint] = [endpoint] if endpoint else Endpoint.objects.filter(organization=organization)
    return [
        (found.name.partition("/")[2], f"{one.name}: {found.title}, {rates_in_words(found.prices.base)}")
        for one in endpoints
        for found in offered(one.provider, one.base_url)
    ]


def listed(endpoint: Endpoint | None, model: str) -> ListPrice | None:
    return list_price(endpoint.provider, endpoint.base_url, model.strip()) if endpoint else None


def rates_in_words(rates: Rates) -> str:
    """'$1.25 in, $0.125 cached, $10.00 out'."""
    parts = (("in", rates.input), ("cached", rates.cached), ("cache writes", rates.cache_write), ("out", rates.output))
    return ", ".join(f"{price(value)} {what}" for what, value in parts if value is not None)


def tiers_in_words(prices: PriceList | None) -> str:
    """'Above 200,000 input tokens: $2.50 in, $15.00 out.', empty if the price does not depend on the length."""
    tiers = prices.tiers if prices else ()
    return " ".join(f"Above {above:,} input tokens: {rates_in_words(rates)}." for above, rates in tiers)
