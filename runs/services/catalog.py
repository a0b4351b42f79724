"""The agents every organization starts with: the baselines, and the papers' LLMs."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

from accounts.models import Endpoint, Organization, Provider
from agents.baselines.registry import BASELINES
from runs.models import Agent

CACHE_WRITE_FACTOR = Decimal("1.25")
"""Anthropic bills input that it writes to its five-minute cache at this multiple; the others bill it as input."""

CATALOG = Path(__file__).resolve().parent.parent / "catalog.json"


def catalog_install(*, organization: Organization) -> None:
    """Add what is missing; agents that are there already, and their prices, stay as they are."""
    rows = [
        Agent(organization=organization, slug=slug, name=baseline.title, baseline=slug)
        for slug, baseline in BASELINES.items()
    ]
    endpoints = {e.provider: e for e in Endpoint.objects.filter(organization=organization, base_url="")}
    catalog = json.loads(CATALOG.read_text(encoding="utf-8"))
    for entry in catalog["llms"]:
        endpoint = endpoints.get(entry["provider"]) or _compatible(
            organization, catalog["endpoints"][entry["provider"]]
        )
        prices = [Decimal(str(price)) if price is not None else None for price in entry["prices"]]
        rows.append(
            Agent(
                organization=organization,
                slug=entry["slug"],
                name=entry["name"],
                provider=endpoint.provider,
                model=entry["model"],
                endpoint=endpoint,
                reasoning=entry["reasoning"],
                input_price=prices[0],
                cached_price=prices[1],
                cache_write_price=cache_write_price(endpoint.provider, prices[0]),
                output_price=prices[2],
                priced_on=date.fromisoformat(catalog["priced_on"]),
                release_date=date.fromisoformat(entry["released"]),
            )
        )
    Agent.objects.bulk_create(rows, ignore_conflicts=True)


def cache_write_price(provider: str, input_price: Decimal | None) -> Decimal | None:
    """None where the provider takes no extra price for it."""
    return None if input_price is None or provider != Provider.ANTHROPIC else input_price * CACHE_WRITE_FACTOR


def _compatible(organization: Organization, entry: dict[str, str]) -> Endpoint:
    endpoint, _ = Endpoint.objects.get_or_create(
        organization=organization,
        name=entry["name"],
        defaults={"provider": Provider.COMPATIBLE, "base_url": entry["base_url"]},
    )
    return endpoint
