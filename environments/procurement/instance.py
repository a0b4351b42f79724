"""Draws of the two procurement generators, and the table of difficulties (paper, section 3.3.1 and appendix G.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from environments.generation import Generation, Setting, Settings
from environments.procurement.optimum import solve

KINDS = ("simple", "two_part_tariff", "bulk_only")
SLOW_PRODUCTS = 60
"""Proving an optimum of this many products takes up to fifteen seconds."""


def _difficulty(products: int, categories: int, lowest: int, highest: int, p1: float, p2: float) -> dict[str, Any]:
    return {
        "products": products,
        "categories": categories,
        "lowest_effectiveness": lowest,
        "highest_effectiveness": highest,
        "bundle_probability": p1,
        "quantity_probability": p2,
    }


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    if generator == "published":
        return _published(settings, np.random.RandomState(seed))
    return _paper_text(settings, np.random.default_rng(seed))


def _categories(settings: Settings) -> list[list[str]]:
    size = settings["products"] // settings["categories"]
    return [[f"{_letters(c)}{i + 1}" for i in range(size)] for c in range(settings["categories"])]


def _letters(index: int) -> str:
    """A, B, .., Z, AA, AB, ..: category names beyond the alphabet for large custom instances."""
    return (_letters(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def _cents(dollars: float) -> int:
    return round(round(dollars, 2) * 100)


def _published(settings: Settings, rs: np.random.RandomState) -> tuple[dict[str, Any], dict[str, Any]]:
    categories = _categories(settings)
    names = [name for category in categories for name in category]
    n = m = len(names)
    values = range(settings["lowest_effectiveness"], settings["highest_effectiveness"] + 1)
    effectiveness = {name: int(rs.choice(values)) for name in names}
    kinds = [str(kind) for kind in rs.choice(KINDS, m)]
    counts = rs.geometric(settings["bundle_probability"], m)
    first = rs.permutation(names)
    second = rs.permutation(names * (m // n))[: m - n]
    must_have = rs.permutation(np.concatenate([first, second]))
    contents = []
    for item, count in zip(must_have, counts, strict=True):
        others = rs.choice(names, count - 1)
        quantities = rs.geometric(settings["quantity_probability"], count)
        # A product drawn twice keeps its first place and its last quantity, which is what building a dict does.
        bundle = {str(item): int(quantities[0])}
        bundle.update({str(o): int(q) for o, q in zip(others, quantities[1:], strict=True)})
        contents.append(bundle)
    offers = []
    for index, (kind, bundle) in enumerate(zip(kinds, contents, strict=True)):
        upfront = _cents(rs.uniform(1, 20)) if kind == "two_part_tariff" else None
        price = _cents(rs.uniform(1, 20))
        minimum = int(rs.randint(2, 10)) if kind == "bulk_only" else None
        offers.append(_offer(index, kind, bundle, price, upfront, minimum))
    items = [rs.choice(category) for category in categories]
    chosen = [offers[int(rs.choice([i for i, o in enumerate(offers) if item in o["contents"]]))] for item in items]
    copies = rs.geometric(settings["quantity_probability"], len(chosen))
    plan = _budget_plan(chosen, copies)
    return _finished(offers, categories, effectiveness, plan, _cents(rs.uniform(0, 1)))


def _paper_text(settings: Settings, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    categories = _categories(settings)
    names = [name for category in categories for name in category]
    low, high = settings["lowest_effectiveness"], settings["highest_effectiveness"]
    effectiveness = {name: int(rng.integers(low, high, endpoint=True)) for name in names}
    offers = []
    for index, item in enumerate(rng.permutation(names)):
        count = min(int(rng.geometric(settings["bundle_probability"])), len(names))
        others = rng.choice([name for name in names if name != item], count - 1, replace=False)
        quantities = rng.geometric(settings["quantity_probability"], count)
        bundle = {str(name): int(q) for name, q in zip([item, *others], quantities, strict=True)}
        kind = str(rng.choice(KINDS))
        upfront = _cents(rng.uniform(1, 20)) if kind == "two_part_tariff" else None
        price = _cents(rng.uniform(1, 20))
        minimum = int(rng.integers(2, 10, endpoint=True)) if kind == "bulk_only" else None
        offers.append(_offer(index, kind, bundle, price, upfront, minimum))
    chosen = []
    for category in categories:
        item = str(rng.choice(category))
        holding = [offer for offer in offers if item in offer["contents"]]
        chosen.append(holding[int(rng.integers(len(holding)))])
    plan = _budget_plan(chosen, rng.geometric(settings["quantity_probability"], len(chosen)))
    return _finished(offers, categories, effectiveness, plan, _cents(rng.uniform(0, 1)))


def _offer(
    index: int, kind: str, contents: dict[str, int], price: int, upfront: int | None, minimum: int | None
) -> dict[str, Any]:
    return {
        "id": f"Offer_{index + 1}",
        "kind": kind,
        "contents": contents,
        "price_cents": price,
        "upfront_cents": upfront,
        "min_quantity": minimum,
    }


def _budget_plan(chosen: list[dict[str, Any]], copies: np.ndarray) -> list[tuple[dict[str, Any], int]]:
    """The plan whose cost sets the budget. Two categories on one offer: the later quantity replaces the earlier."""
    plan = {
        offer["id"]: (offer, int(count) + (offer["min_quantity"] - 1 if offer["min_quantity"] else 0))
        for offer, count in zip(chosen, copies, strict=True)
    }
    return list(plan.values())


def _finished(
    offers: list[dict[str, Any]],
    categories: list[list[str]],
    effectiveness: dict[str, int],
    plan: list[tuple[dict[str, Any], int]],
    slack_cents: int,
) -> tuple[dict[str, Any], dict[str, Any]]:
    cost = sum((offer["upfront_cents"] or 0) + quantity * offer["price_cents"] for offer, quantity in plan)
    parameters = {"offers": offers, "categories": categories, "budget_cents": cost + slack_cents}
    return parameters, {"effectiveness": effectiveness}


def _conflicts(settings: Settings) -> dict[str, str]:
    errors = {}
    if settings["products"] % settings["categories"]:
        errors["categories"] = "Products must divide evenly into categories."
    if settings["lowest_effectiveness"] > settings["highest_effectiveness"]:
        errors["highest_effectiveness"] = "The highest effectiveness must not be below the lowest."
    return errors


GENERATION = Generation(
    difficulties={
        "BASIC": _difficulty(12, 3, 1, 3, 0.8, 0.5),
        "MEDIUM": _difficulty(30, 5, 1, 5, 0.5, 0.2),
        "HARD": _difficulty(100, 10, 1, 20, 0.1, 0.1),
    },
    settings=(
        Setting("products", "Products", 2, 200, help="products, and as many offers"),
        Setting("categories", "Categories", 1, 50, help="equal groups; one product of each is needed"),
        Setting("lowest_effectiveness", "Lowest effectiveness", 1, 100),
        Setting("highest_effectiveness", "Highest effectiveness", 1, 100),
        Setting("bundle_probability", "Bundle probability p1", 0.05, 1, False, "products in an offer ~ Geom(p1)"),
        Setting("quantity_probability", "Quantity probability p2", 0.05, 1, False, "units of each ~ Geom(p2)"),
    ),
    build=_build,
    reference=lambda instance: {"optimum": solve(instance).as_json()},
    conflicts=_conflicts,
    reference_is_costly=True,
    reference_waits=True,
    is_slow=lambda instance: len(instance.parameters["offers"]) >= SLOW_PRODUCTS,
)
