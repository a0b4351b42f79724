"""The initial agents of every organization: the baselines, and the LLMs of the papers."""

from datetime import date
from decimal import Decimal
from typing import Any

from accounts.models import Endpoint, Organization, Provider
from agents.baselines.registry import BASELINES
from runs.catalog import catalog
from runs.list_prices import list_price
from runs.models import Agent

Price = Decimal | None

CACHE_WRITE_FACTOR = Decimal("1.25")
"""Anthropic's price for writing input to its five-minute cache, as a multiple of the input price. Others charge nothing."""


def catalog_install(*, organization: Organization) -> None:
    """Add missing agents with list prices; existing agents and their prices stay unchanged."""
    existing_slugs = set(Agent.objects.filter(organization=organization).values_list("slug", flat=True))
    rows = [
        Agent(organization=organization, slug=slug, name=baseline.title, baseline=slug)
        for slug, baseline in BASELINES.items()
    ]
    endpoints = {e.provider: e for e in Endpoint.objects.filter(organization=organization, base_url="")}
    for entry in catalog()["llms"]:
        if entry["slug"] in existing_slugs:
            continue
        endpoint = endpoints.get(entry["provider"])
        if endpoint is None:
            server = catalog()["endpoints"][entry["provider"]]
            endpoint, _ = Endpoint.objects.get_or_create(
                organization=organization,
                name=server["name"],
                defaults={"provider": Provider.COMPATIBLE, "base_url": server["base_url"]},
            )
        rows.append(
            Agent(
                organization=organization,
                slug=entry["slug"],
                name=entry["name"],
                provider=endpoint.provider,
                model=entry["model"],
                endpoint=endpoint,
                reasoning=entry["reasoning"],
                release_date=date.fromisoformat(entry["released"]),
                **listed_prices(endpoint, entry["model"]),
            )
        )
    Agent.objects.bulk_create((row for row in rows if row.slug not in existing_slugs), ignore_conflicts=True)


def listed_prices(endpoint: Endpoint, model: str) -> dict[str, Any]:
    """The price fields of an agent from the price list. Empty if the list does not have the model at this address."""
    listed_price = list_price(endpoint.provider, endpoint.base_url, model)
    return {} if listed_price is None else listed_price.as_fields()


def entered_prices(provider: str, input_price: Price, cached_price: Price, output_price: Price) -> dict[str, Any]:
    """The price fields of an agent for prices that a person entered. They apply to inputs of any length."""
    is_written = provider == Provider.ANTHROPIC
    cache_write = input_price * CACHE_WRITE_FACTOR if input_price is not None and is_written else None
    return {
        "input_price": input_price,
        "cached_price": cached_price,
        "cache_write_price": cache_write,
        "output_price": output_price,
        "long_input_prices": [],
        "price_source": "",
        "priced_on": None if input_price is None and output_price is None else date.today(),
    }
