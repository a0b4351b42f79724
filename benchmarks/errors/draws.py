"""Random scores and score differences of equal agents."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Numbers]

SIZES = (6, 8, 12, 36)
SEED = 20_260_218


def experiments(number: int, draw: Draw, n: int, key: int = 0) -> Iterator[Numbers]:
    """Draw the values of each experiment with n of them. key: distinguishes measurements with the same n"""
    rng = np.random.default_rng([SEED, n, key])
    return (draw(rng, n) for _ in range(number))


def generators(number: int, *key: int) -> Iterator[np.random.Generator]:
    """A generator of random numbers for each experiment."""
    return (np.random.default_rng([SEED, *key, experiment]) for experiment in range(number))


def _skewed(rng: np.random.Generator, n: int) -> Numbers:
    """Draw differences of scores with a long lower tail, for two agents on instances of different difficulty."""
    level = rng.uniform(0, 20, n)
    scores = [np.clip(100 - level - rng.exponential(12, n), 0, 100) for _ in range(2)]
    return scores[1] - scores[0]


def _with_ties(share_of_ties: float, rng: np.random.Generator, n: int) -> Numbers:
    """Draw differences that are 0 with a probability of `share_of_ties`, and otherwise ±10, ±20 or ±30 points."""
    return np.where(rng.random(n) < share_of_ties, 0.0, 10.0 * rng.choice([-3, -2, -1, 1, 2, 3], n))


KINDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(0, 10, n),
    "of beta(8, 1) scores": lambda rng, n: rng.beta(8, 1, n) - rng.beta(8, 1, n),
    "skewed scores": _skewed,
    "heavy tails (t, 2 df)": lambda rng, n: 5 * rng.standard_t(2, n),
    "60 % ties": partial(_with_ties, 0.6),
}
STAGED = {kind: KINDS[kind] for kind in ("normal", "skewed scores", "heavy tails (t, 2 df)")} | {
    "half ties": partial(_with_ties, 0.5)
}

MEANS: dict[str, tuple[float, Draw]] = {
    "normal": (0.5, lambda rng, n: rng.normal(0.5, 0.1, n)),
    "beta(8, 1)": (8 / 9, lambda rng, n: rng.beta(8, 1, n)),
    "heavy tails (t, 2 df)": (0.0, lambda rng, n: rng.standard_t(2, n)),
    "60 % at the bound": (0.6 + 0.4 * 2 / 3, lambda rng, n: np.where(rng.random(n) < 0.6, 1.0, rng.beta(2, 1, n))),
}
"""The true mean of the scores of one agent, and a function that draws them."""

BOARDS: dict[str, Draw] = {kind: MEANS[kind][1] for kind in ("beta(8, 1)", "heavy tails (t, 2 df)")} | {
    "five values, 0 to 4 of 4": lambda rng, n: rng.binomial(4, 0.7, n) / 4,
}
"""Functions that draw the scores of one agent on a leaderboard."""
