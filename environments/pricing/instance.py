"""Draws of the two pricing generators (paper, sections 3.3.3 and G.3), and the table of difficulties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from environments.base import PERIODS, Instance
from environments.generation import Generation, Setting, Settings
from environments.pricing.economics import (
    Demand,
    Floats,
    linear_shift,
    periodic_shift,
    published_outside_weight,
    text_outside_weight,
)

SIGMA = 0.5
MARKET_SIZE = 100.0
OUTSIDE_QUALITY = 0.0
CEILING_BLOCK = 10
"""Periods that share one recommended price ceiling."""

Stream = np.random.RandomState | np.random.Generator


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    n: int = settings["products"]
    groups: int = settings["nests"]
    published = generator == "published"
    rs: Stream = np.random.RandomState(seed) if published else np.random.default_rng(seed)
    alpha = rs.uniform(1, 10, n)
    costs = rs.uniform(1, 2, n) if published else rs.uniform(1, 10, n)
    qualities = rs.uniform(2, 3, n)
    length = int(rs.randint(10, 20)) if isinstance(rs, np.random.RandomState) else int(rs.integers(10, 21))
    shift = "linear" if seed % 2 == 0 else "periodic"
    nests = _draw_nests(rs, n, groups)
    alphas = _draw_shift(rs, shift, alpha, length)
    weight = published_outside_weight if published else text_outside_weight
    hidden = {
        "qualities": qualities.tolist(),
        "alphas": alphas.tolist(),
        "nests": nests,
        "sigma": SIGMA,
        "market_size": MARKET_SIZE,
        "outside_weight": weight(OUTSIDE_QUALITY, SIGMA),
        "shift": shift,
        "period_length": length if shift == "periodic" else None,
    }
    parameters = {"products": [f"Product_{i + 1}" for i in range(n)], "costs": costs.tolist()}
    parameters["price_ceilings"] = _ceilings(parameters, hidden, rs_ceiling(seed, generator))
    return parameters, hidden


def rs_ceiling(seed: int, generator: str) -> float:
    """The factor of the recommended ceiling, from a stream of its own."""
    if generator == "published":
        return float(np.random.RandomState(seed).uniform(1.5, 2.5))
    return float(np.random.default_rng([seed, 1]).uniform(1.5, 2.5))


def _draw_nests(rs: Stream, n: int, groups: int) -> list[int]:
    """Nest of each product, Geom(0.2) up to `groups`, drawn again until no nest is empty."""
    while True:
        nests = []
        for _ in range(n):
            nest = int(rs.geometric(0.2))
            while nest > groups:
                nest = int(rs.geometric(0.2))
            nests.append(nest)
        if len(set(nests)) == groups:
            return nests


def _draw_shift(rs: Stream, shift: str, alpha: Floats, length: int) -> Floats:
    if shift == "linear":
        bound = alpha / (2 * PERIODS)
        return linear_shift(alpha.tolist(), [rs.uniform(-b, b) for b in bound], PERIODS)
    amplitude = [rs.uniform(a / 4, a / 2) for a in alpha]
    return periodic_shift(alpha.tolist(), amplitude, length, PERIODS)


def _ceilings(parameters: dict[str, Any], hidden: dict[str, Any], factor: float) -> list[float]:
    """Recommended price ceiling of each period: the factor times the largest optimal price of its block of ten."""
    draft = Instance("pricing", "", 0, "", {}, parameters, hidden)
    highest = Demand.of(draft).optimal_prices(hidden["alphas"]).max(axis=1)
    blocks = [highest[start : start + CEILING_BLOCK].max() for start in range(0, len(highest), CEILING_BLOCK)]
    return [round(float(blocks[t // CEILING_BLOCK]) * factor, 2) for t in range(len(highest))]


def _reference(instance: Instance) -> dict[str, Any]:
    demand = Demand.of(instance)
    return {
        "optimal_prices": demand.optimal_prices(instance.hidden["alphas"]).tolist(),
        "optimal_profit": demand.optimal_profit(),
    }


def _conflicts(settings: Settings) -> dict[str, str]:
    if settings["nests"] > settings["products"]:
        return {"nests": "There cannot be more nests than products."}
    if settings["nests"] > math.ceil(settings["products"] / 2) and settings["products"] > 2:
        return {"nests": "At most half as many nests as products, or drawing them would not end."}
    return {}


def _difficulty(products: int) -> dict[str, Any]:
    return {"products": products, "nests": math.ceil(0.25 * products)}


GENERATION = Generation(
    difficulties={"BASIC": _difficulty(1), "MEDIUM": _difficulty(4), "HARD": _difficulty(10)},
    settings=(
        Setting("products", "Products", 1, 50),
        Setting("nests", "Nests", 1, 8, help="groups of close substitutes"),
    ),
    build=_build,
    reference=_reference,
    conflicts=_conflicts,
)
