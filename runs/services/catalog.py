"""The agents every organization starts with: the baselines, and the papers' LLMs."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from accounts.models import Endpoint, Organization, Provider
from agents.baselines.registry import BASELINES
from runs.list_prices import list_price
from runs.models import Agent

Price = Decimal | None

CACHE_WRITE_FACTOR = Decimal("1.25")
"""Anthropic bills input that it writes to its five-minute cache at this multiple; the others bill it as input."""

CATALOG = Path(__file__).resolve().parent.parent / "catalog.json"


def catalog_install(*, organization: Organization) -> None:
    """Add what is missing, at list prices; agents that are there already, and their prices, stay as they are."""
    known = set(Agent.objects.filter(organization=organization).values_list("slug", flat=True))
    rows = [
        Agent(organization=organization, slug=slug, name=baseline.title, baseline=slug)
        for slug, baseline in BASELINES.items()
    ]
    endpoints = {e.provider: e for e in Endpoint.objects.filter(organization=organization, base_url="")}
    catalog = json.loads(CATALOG.read_text(encoding="utf-8"))
    for entry in catalog["llms"]:
        if entry["slug"] in known:
            continue
        endpoint = endpoints.get(entry["provider"]) or _compatible(
            organization, catalog["endpoints"][entry["provider"]]
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
    Agent.objects.bulk_create((row for row in rows if row.slug not in known), ignore_conflicts=True)


def listed_prices(endpoint: Endpoint, model: str) -> dict[str, Any]:
    """The price fields of an agent from the list; none where the list does not know the model at this address."""
    found = list_price(endpoint.provider, endpoint.base_url, model)
    return {} if found is None else found.as_fields()


def entered_prices(provider: str, input_price: Price, cached_price: Price, output_price: Price) -> dict[str, Any]:
    """The price fields of an agent whose prices a person entered; they hold for inputs of any length."""
    return {
        "input_price": input_price,
        "cached_price": cached_price,
        "cache_write_price": cache_write_price(provider, input_price),
        "output_price": output_price,
        "long_input_prices": [],
        "price_source": "",
        "priced_on": None if input_price is None and output_price is None else date.today(),
    }


def cache_write_price(provider: str, input_price: Price) -> Price:
    """None where the provider takes no extra price for it."""
    return None if input_price is None or provider != Provider.ANTHROPIC else input_price * CACHE_WRITE_FACTOR


def _compatible(organization: Organization, entry: dict[str, str]) -> Endpoint:
    endpoint, _ = Endpoint.objects.get_or_create(
        organization=organization,
        name=entry["name"],
        defaults={"provider": Provider.COMPATIBLE, "base_url": entry["base_url"]},
    )
    return endpoint
