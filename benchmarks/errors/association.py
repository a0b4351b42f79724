"""Correlations of two measures: the error of the test, and the coverage of the interval."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.errors.draws import Numbers, generators
from benchmarks.harness import Rows, prints, rate, share
from stats.lines.association import MOST_WITHOUT_BOUNDS, Association, association
from stats.means import LEVEL

POINTS = (5, 8, 12, 36)
STRENGTHS = (0.0, 0.5, 0.9)
"""Correlations of the normal values from which both measures are made."""

SAMPLE = 2_000_000
"""Number of points from which the true correlation is computed."""


def _quantile(name: str, *shape: float) -> Callable[[Numbers], Numbers]:
    """A function that turns uniform values into values of this distribution of SciPy."""
    from scipy import stats

    return lambda uniform: np.asarray(getattr(stats, name).ppf(uniform, *shape))


def _at_bound(uniform: Numbers) -> Numbers:
    """Scores of which 60 % are 1."""
    return np.where(uniform > 0.4, 1.0, _quantile("beta", 2, 1)(np.clip(uniform / 0.4, 1e-12, 1.0)))


UNIFORM, NORMAL, SKEWED, HEAVY = (
    lambda uniform: uniform,
    _quantile("norm"),
    _quantile("beta", 8, 1),
    _quantile("t", 3),
)
PAIRS: dict[str, tuple[Callable[[Numbers], Numbers], Callable[[Numbers], Numbers], bool]] = {
    "normal, normal": (NORMAL, NORMAL, True),
    "dates, beta(8, 1)": (UNIFORM, SKEWED, True),
    "beta(8, 1), beta(8, 1)": (SKEWED, SKEWED, True),
    "dates, 60 % at the bound": (UNIFORM, _at_bound, True),
    "60 % at the bound, 60 % at the bound": (_at_bound, _at_bound, True),
    "dates, heavy tails (t, 3 df)": (UNIFORM, HEAVY, False),
    "heavy tails, heavy tails": (HEAVY, HEAVY, False),
}
"""Functions that make both measures from uniform values, and whether both measures have bounds."""


def _draw(rng: np.random.Generator, pair: str, strength: float, n: int) -> tuple[Numbers, Numbers]:
    """Draw n points of two measures that are correlated through normal values (a Gaussian copula)."""
    from scipy.special import ndtr

    first, second = rng.standard_normal((2, n))
    second = strength * first + math.sqrt(1 - strength**2) * second
    x, y, _ = PAIRS[pair]
    return x(ndtr(first)), y(ndtr(second))


def _drawn(number: int, pair: str, strength: float, n: int) -> list[Association]:
    key = (list(PAIRS).index(pair), round(10 * strength), n)
    results = (
        association(*map(np.ndarray.tolist, _draw(rng, pair, strength, n)), bounded=PAIRS[pair][2])
        for rng in generators(number, *key)
    )
    return [each for each in results if isinstance(each, Association)]


@prints("Correlations: the permutation test", "measures", *(f"{n} points" for n in POINTS))
def tests(number: int) -> Rows:
    """Yield the share of experiments with p < 0.05 if the measures are independent."""
    for pair in PAIRS:
        yield [pair, *(rate(each.p < LEVEL for each in _drawn(number, pair, 0.0, n)) for n in POINTS)]


@prints("Correlations: the interval of r", "measures", "true r", *(f"{n} points" for n in POINTS))
def intervals(number: int) -> Rows:
    """Yield the share of intervals that contain the true r, and the share of experiments that have one if not all do."""
    for pair, strength in product(PAIRS, STRENGTHS):
        sample = _draw(np.random.default_rng(0), pair, strength, SAMPLE)
        true = float(np.corrcoef(*sample)[0, 1]) if strength else 0.0
        cells = []
        for n in POINTS:
            if n > MOST_WITHOUT_BOUNDS and not PAIRS[pair][2]:
                cells.append("–")
                continue
            results = [each.interval for each in _drawn(number, pair, strength, n) if each.interval]
            of_all = "" if len(results) == number else f" of {share(len(results), number, 0)}"
            cells.append(rate(low <= true <= high for low, high in results) + of_all)
        yield [pair, f"{true:.2f}", *cells]
