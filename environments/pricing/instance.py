"""Draws of the pricing generators (paper, sections 3.3.3 and G.3), and the table of difficulties."""

import math
from itertools import count, islice
from typing import Any

import numpy as np

from environments.base import PERIODS, Instance
from environments.declarations import Setting
from environments.generation import Generation, Settings, kind_of, streams
from environments.pricing.economics import Demand, Floats

SIGMA = 0.5
MARKET_SIZE = 100.0
OUTSIDE_QUALITY = 0.0
SHIFTS = ("linear", "periodic")
JUMP = "jump"
"""The shift of an instance with a shock: constant before it and after it."""
CEILING_BLOCK = 10
"""Periods that share one recommended price ceiling."""

Stream = np.random.RandomState | np.random.Generator


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    n: int = settings["products"]
    groups: int = settings["nests"]
    by_text = generator == "paper_text"
    rs, printed, factors = _streams(seed, generator)
    alpha = rs.uniform(1, 10, n)
    costs = printed.uniform(1, 10 if by_text else 2, n)
    qualities = rs.uniform(2, 3, n)
    length = int(rs.randint(10, 20)) if isinstance(rs, np.random.RandomState) else int(rs.integers(10, 21))
    shift = SHIFTS[kind_of(seed, generator, len(SHIFTS))]
    nests = _draw_nests(rs, n, groups)
    alphas, shift = _alphas(settings, alpha, shift, length, rs)
    # The weight of the outside option is (exp(a_0) / (1-s))^(1-s) in the published experiments, and
    # exp(a_0 / (1-s)) in the paper.
    sigma = settings.get("sigma", SIGMA)
    power = 1 - sigma
    weight = np.exp(OUTSIDE_QUALITY / power) if by_text else (np.exp(OUTSIDE_QUALITY) / power) ** power
    hidden = {
        "qualities": qualities.tolist(),
        "alphas": alphas.tolist(),
        "nests": nests,
        "sigma": sigma,
        "market_size": settings.get("market_size", MARKET_SIZE),
        "outside_weight": float(weight),
        "shift": shift,
        "period_length": length if shift == "periodic" else None,
    }
    parameters = {"products": [f"Product_{i + 1}" for i in range(n)], "costs": costs.tolist()}
    parameters["price_ceilings"] = _ceilings(parameters, hidden, float(factors.uniform(1.5, 2.5)))
    if shift == JUMP:
        # A ceiling that moves would announce the shock.
        parameters["price_ceilings"] = [max(parameters["price_ceilings"])] * PERIODS
    return parameters, hidden


def _alphas(settings: Settings, alpha: Floats, shift: str, length: int, rs: Stream) -> tuple[Floats, str]:
    """The price level of each product, (periods, n), from the first one, (n,); and how it moves."""
    periods = np.arange(PERIODS)[:, None]
    if "shock_factor" in settings:
        # Prices matter less after the shock where the main instance drifts along a line, and more where it swings.
        factor = settings["shock_factor"] if shift == "linear" else 1 / settings["shock_factor"]
        return alpha * np.where(periods < settings["shock_period"], 1.0, factor), JUMP
    # The slopes or amplitudes are drawn product by product, in order.
    if shift == "linear":
        slopes = np.array([rs.uniform(-a / (2 * PERIODS), a / (2 * PERIODS)) for a in alpha])
        return alpha + slopes * periods, shift
    amplitudes = np.array([rs.uniform(a / 4, a / 2) for a in alpha])
    return alpha + amplitudes * np.sin(2 * np.pi * periods / length), shift


def _streams(seed: int, generator: str) -> tuple[Stream, Stream, Stream]:
    """The streams for the hidden values, for the costs, and for the factor of the recommended ceiling.

    The factor always has its own stream. The costs have their own stream only in sealed instances.
    """
    if generator == "paper_text":
        rng = np.random.default_rng(seed)
        return rng, rng, np.random.default_rng([seed, 1])
    rs, printed = streams(seed, generator, "demand", "costs")
    (factors,) = streams(seed, generator, "ceilings")
    return rs, printed, factors


def _draw_nests(rs: Stream, n: int, groups: int) -> list[int]:
    """Draw the nest of each product from Geom(0.2), at most `groups`. Draws are repeated until no nest is empty."""
    draws = (nest for _ in count() if (nest := int(rs.geometric(0.2))) <= groups)
    while True:
        nests = list(islice(draws, n))
        if len(set(nests)) == groups:
            return nests


def _ceilings(parameters: dict[str, Any], hidden: dict[str, Any], factor: float) -> list[float]:
    """Recommended price ceiling of each period: the factor times the largest optimal price of its block of ten."""
    draft = Instance("pricing", "", 0, "", {}, parameters, hidden)
    blocks = Demand.of(draft).optimal_prices(hidden["alphas"]).reshape(-1, CEILING_BLOCK * len(parameters["products"]))
    return [round(highest * factor, 2) for highest in blocks.max(axis=1).tolist() for _ in range(CEILING_BLOCK)]


GENERATION = Generation(
    difficulties={
        "BASIC": {"products": 1, "nests": 1},
        "MEDIUM": {"products": 4, "nests": 1},
        "HARD": {"products": 10, "nests": 3},
    },
    settings=(
        Setting("products", "Products", 1, 50),
        Setting("nests", "Nests", 1, 8, help="number of groups of close substitutes"),
        Setting("sigma", "Nesting σ", 0, 0.9, False, "the larger, the closer substitutes within a nest", SIGMA),
        Setting("market_size", "Market size M", 1, 1_000_000, False, "units sold if everybody buys", MARKET_SIZE),
    ),
    build=_build,
    reference=lambda instance: {
        "optimal_prices": Demand.of(instance).optimal_prices(instance.hidden["alphas"]).tolist(),
        "optimal_profit": Demand.of(instance).optimal_profit(),
    },
    conflicts=lambda settings: (
        {"nests": "There cannot be more nests than products."}
        if settings["nests"] > settings["products"]
        else {"nests": "At most half as many nests as products, or drawing them would not end."}
        if settings["nests"] > max(2, math.ceil(settings["products"] / 2))
        else {}
    ),
    measured_up_to={"products": 25},
)
