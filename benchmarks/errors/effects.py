"""Intervals of effect sizes in standard deviations."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from benchmarks.errors.draws import SEED, SIZES, Numbers, generators
from benchmarks.harness import Rows, prints, rate
from stats.effects import effect

Pair = Callable[[np.random.Generator, int], tuple[Numbers, Numbers]]


def _normal(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    level = rng.normal(0, 1, n)
    return level + rng.normal(0, 1, n), level + rng.normal(0, 1, n)


def _skewed(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Draw scores of two agents, of which one has a long lower tail that the other does not have."""
    level = rng.normal(0, 0.5, n)
    return level, level - rng.exponential(1, n)


def _heavy(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    level = rng.normal(0, 1, n)
    return level, level + rng.standard_t(3, n)


def _with_ties(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    first = 25.0 * rng.integers(0, 5, n)
    return first, first + np.where(rng.random(n) < 0.6, 0.0, 10.0 * rng.choice([-3, -2, -1, 1, 2, 3], n))


PAIRS: dict[str, Pair] = {
    "normal": _normal,
    "of beta(8, 1) scores": lambda rng, n: (rng.beta(8, 1, n), rng.beta(8, 1, n)),
    "skewed (exponential)": _skewed,
    "heavy tails (t, 3 df)": _heavy,
    "60 % ties": _with_ties,
}
EFFECTS = (0.0, 0.5, 1.0)


@cache
def _truth(kind: str) -> tuple[float, float, float]:
    """Mean and standard deviation of the differences of a kind, and standard deviation of its scores."""
    first, second = PAIRS[kind](np.random.default_rng([SEED, 31]), 1_000_000)
    d = second - first
    return float(d.mean()), float(d.std()), float(np.sqrt((first.var() + second.var()) / 2))


@prints("Effect sizes", "differences", "effect, SD of differences",
        *(f"{n} instances: SD of differences, of scores" for n in SIZES))  # fmt: skip
def effects(number: int) -> Rows:
    """Yield the share of intervals that contain the true effect, in both kinds of standard deviations."""
    for kind, true in product(PAIRS, EFFECTS):
        cells = []
        for n in SIZES:
            inside: list[tuple[bool, bool]] = []
            mean, spread, of_scores = _truth(kind)
            shift = true * spread - mean
            for rng in generators(number, n, 30):
                first, second = PAIRS[kind](rng, n)
                seen = effect(first.tolist(), (second + shift).tolist())
                if seen and seen.scores_interval:
                    low, high = seen.interval
                    scores_low, scores_high = seen.scores_interval
                    expected = true * spread / of_scores
                    inside.append((low <= true <= high, scores_low <= expected <= scores_high))
            cells.append(", ".join(rate(hits) for hits in zip(*inside, strict=True)))
        yield [kind, f"{true:g}", *cells]
