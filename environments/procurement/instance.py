"""Draws of the procurement generators, and the table of difficulties (paper, section 3.3.1 and appendix G.1)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from environments.base import Instance
from environments.declarations import Setting
from environments.generation import Attempts, Generation, Settings, streams
from environments.procurement.economics import Menu, Offer
from environments.procurement.optimum import ATTEMPT_SECONDS, reference_of

KINDS = ("simple", "two_part_tariff", "bulk_only")
UNEVEN = "Products must divide evenly into categories."
CROSSED = "The highest effectiveness must not be below the lowest."
SLOW_PRODUCTS = 60
"""Number of products from which an instance is slow: proving its optimum takes up to fifteen seconds."""


SETTINGS = (
    Setting("products", "Products", 2, 200, help="number of products, equal to the number of offers"),
    Setting("categories", "Categories", 1, 50, help="number of groups of equal size; one product of each is needed"),
    Setting("lowest_effectiveness", "Lowest effectiveness", 1, 100),
    Setting("highest_effectiveness", "Highest effectiveness", 1, 100),
    Setting("bundle_probability", "Bundle probability p1", 0.05, 1, False, "products in an offer ~ Geom(p1)"),
    Setting("quantity_probability", "Quantity probability p2", 0.05, 1, False, "units of each ~ Geom(p2)"),
    Setting("budget_factor", "Budget factor", 1, 10, False, "times the cost of a random plan of every category", 1.0),
)
Values = dict[str, Any]
Stream = np.random.RandomState | np.random.Generator


def _difficulty(*values: float) -> Settings:
    return {setting.name: value for setting, value in zip(SETTINGS, values, strict=False)}


def _categories(settings: Settings) -> list[list[str]]:
    size = settings["products"] // settings["categories"]
    return [[f"{_letters(c)}{i + 1}" for i in range(size)] for c in range(settings["categories"])]


def _letters(index: int) -> str:
    """The name of a category: A, B, .., Z, AA, AB, .. Large custom instances have more categories than letters."""
    return (_letters(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def _cents(dollars: float) -> int:
    return round(round(dollars, 2) * 100)


def _published(settings: Settings, hidden: np.random.RandomState, rs: np.random.RandomState) -> tuple[Values, Values]:
    """Draw the parameters and the hidden values; effectiveness is drawn first.

    hidden: stream for the effectiveness; rs: stream for everything else, the same one unless the instance is sealed
    """
    categories = _categories(settings)
    names = [name for category in categories for name in category]
    values = range(settings["lowest_effectiveness"], settings["highest_effectiveness"] + 1)
    effectiveness = {name: int(hidden.choice(values)) for name in names}
    kinds = [str(kind) for kind in rs.choice(KINDS, len(names))]
    counts = rs.geometric(settings["bundle_probability"], len(names))
    first = rs.permutation(names)
    # The published code draws the products of further offers here. This code discards the draw. It
    # only keeps later draws equal to the published ones.
    rs.permutation(names)
    must_have = rs.permutation(first)
    contents = []
    for item, count in zip(must_have, counts, strict=True):
        others = rs.choice(names, count - 1)
        quantities = rs.geometric(settings["quantity_probability"], count)
        # A product drawn twice keeps its first position and its last quantity, as in any dict.
        contents.append({str(o): int(q) for o, q in zip([item, *others], quantities, strict=True)})
    offers = [
        _offer(rs, index, kind, bundle, lambda: rs.randint(2, 10))
        for index, (kind, bundle) in enumerate(zip(kinds, contents, strict=True))
    ]
    items = [rs.choice(category) for category in categories]
    planned_offers = [
        offers[int(rs.choice([i for i, o in enumerate(offers) if item in o["contents"]]))] for item in items
    ]
    return _parameters(rs, settings, offers, categories, planned_offers), {"effectiveness": effectiveness}


def _paper_text(settings: Settings, rng: np.random.Generator) -> tuple[Values, Values]:
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
        offers.append(_offer(rng, index, kind, bundle, lambda: int(rng.integers(2, 10, endpoint=True))))
    planned_offers = []
    for category in categories:
        item = str(rng.choice(category))
        holding = [offer for offer in offers if item in offer["contents"]]
        planned_offers.append(holding[int(rng.integers(len(holding)))])
    return _parameters(rng, settings, offers, categories, planned_offers), {"effectiveness": effectiveness}


def _offer(
    rs: Stream, index: int, kind: str, contents: dict[str, int], draw_minimum: Callable[[], int]
) -> dict[str, Any]:
    """Draw an offer: first its upfront cost, then its price and its minimum quantity."""
    upfront = _cents(rs.uniform(1, 20)) if kind == "two_part_tariff" else None
    return {
        "id": f"Offer_{index + 1}",
        "kind": kind,
        "contents": contents,
        "price_cents": _cents(rs.uniform(1, 20)),
        "upfront_cents": upfront,
        "min_quantity": int(draw_minimum()) if kind == "bulk_only" else None,
    }


def _parameters(
    rs: Stream, settings: Settings, offers: list[Values], categories: list[list[str]], planned_offers: list[Values]
) -> Values:
    """Return the parameters. The budget is the cost of a plan of the chosen offers, times a factor, plus up to a dollar."""
    copies = rs.geometric(settings["quantity_probability"], len(planned_offers))
    # If two categories chose the same offer, the later quantity replaces the earlier one.
    plan = {
        offer["id"]: (offer, int(count) + (offer["min_quantity"] or 1) - 1)
        for offer, count in zip(planned_offers, copies, strict=True)
    }
    cost = sum((offer["upfront_cents"] or 0) + quantity * offer["price_cents"] for offer, quantity in plan.values())
    cost = round(cost * settings.get("budget_factor", 1))
    return {"offers": offers, "categories": categories, "budget_cents": cost + _cents(rs.uniform(0, 1))}


def _build(settings: Settings, seed: int, generator: str) -> tuple[Values, Values]:
    if generator == "paper_text":
        parameters, hidden = _paper_text(settings, np.random.default_rng(seed))
    else:
        parameters, hidden = _published(settings, *streams(seed, generator, "effectiveness", "offers"))
    shock: Values = {}
    if "shock_budget_factor" in settings:
        shock["budget_cents"] = round(parameters["budget_cents"] * settings["shock_budget_factor"])
    if "shock_effectiveness" in settings:
        draft = Instance("procurement", "", seed, generator, {}, parameters, hidden)
        shock["effectiveness"] = {_mainstay(Menu.of(draft)): settings["shock_effectiveness"]}
    return parameters, hidden | ({"shock": shock} if shock else {})


def _mainstay(menu: Menu) -> str:
    """The product that adds most to the offer of which the budget buys the most effectiveness.

    It stands for the product on which the optimum relies. The optimum itself would take too long for a draw.
    """

    def worth(offer: Offer) -> int:
        copies = (menu.budget_cents - (offer.upfront_cents or 0)) // offer.price_cents
        each = sum(menu.effectiveness[name] * units for name, units in offer.contents.items())
        return copies * each if copies >= (offer.min_quantity or 1) else 0

    best = max(menu.offers, key=worth).contents
    return max(best, key=lambda name: menu.effectiveness[name] * best[name])


GENERATION = Generation(
    difficulties={
        "BASIC": _difficulty(12, 3, 1, 3, 0.8, 0.5),
        "MEDIUM": _difficulty(30, 5, 1, 5, 0.5, 0.2),
        "HARD": _difficulty(100, 10, 1, 20, 0.1, 0.1),
    },
    settings=SETTINGS,
    build=_build,
    reference=reference_of,
    conflicts=lambda settings: (
        ({"categories": UNEVEN} if settings["products"] % settings["categories"] else {})
        | (
            {"highest_effectiveness": CROSSED}
            if settings["lowest_effectiveness"] > settings["highest_effectiveness"]
            else {}
        )
    ),
    reference_is_costly=True,
    reference_waits=True,
    is_slow=lambda instance: len(instance.parameters["offers"]) >= SLOW_PRODUCTS,
    measured_up_to={"products": 100},
)

ATTEMPTS = Attempts(
    seconds=ATTEMPT_SECONDS,
    is_proven=lambda reference: all(optimum["proven"] for optimum in reference.values()),
    solve=reference_of,
)
