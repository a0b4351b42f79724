"""Prices as text, and the models of the price list that an organization can use."""

from accounts.models import Endpoint
from agents.prices import PriceList, Rates
from infrastructure.text.formats import price
from runs.catalog import current_models_at
from runs.list_prices import ListPrice, list_price, offered
from runs.models import Agent


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
    """The agent's prices and where they come from; empty if it has none."""
    if agent.prices is None:
        return ""
    dated = f", {agent.priced_on:%-d %b %Y}" if agent.priced_on else ""
    origin = f"{agent.price_source or 'entered here'}{dated}"
    return f"Now {rates_in_words(agent.prices.base)} ({origin}). {tiers_in_words(agent.prices)}".strip()


def rates_in_words(rates: Rates) -> str:
    """'$1.25 in, $0.125 cached, $10.00 out'."""
    parts = (("in", rates.input), ("cached", rates.cached), ("cache writes", rates.cache_write), ("out", rates.output))
    return ", ".join(f"{price(value)} {what}" for what, value in parts if value is not None)


def tiers_in_words(prices: PriceList | None) -> str:
    """'Above 200,000 input tokens: $2.50 in, $15.00 out.', empty if the price does not depend on the length."""
    tiers = prices.tiers if prices else ()
    return " ".join(f"Above {above:,} input tokens: {rates_in_words(rates)}." for above, rates in tiers)
