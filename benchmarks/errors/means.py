"""Intervals of the mean of one agent, and of its reliability."""

import math
from itertools import product

import numpy as np

from benchmarks.errors.draws import MEANS, SIZES, Numbers, experiments
from benchmarks.harness import Rows, prints, rate, share
from stats.means import deviation_interval, mean_interval

SPREAD = 0.224
"""The true standard deviation of the rates in `deviations`."""


@prints("Means of one agent", "scores", "n", "have an interval", "interval contains the mean")
def means(number: int) -> Rows:
    """Yield the share of intervals that contain the true mean; a dash if fewer than 5 % of experiments have an interval."""
    for (kind, (true, draw)), n in product(MEANS.items(), SIZES):
        intervals = [interval for d in experiments(number, draw, n, 3) if (interval := mean_interval(d))]
        inside = rate(low <= true <= high for low, high in intervals)
        yield [kind, str(n), share(len(intervals), number), inside if len(intervals) * 20 >= number else "–"]


@prints("Reliability, true value 0.776", "runs", "normal", "uniform", "mean of the estimate")
def deviations(number: int) -> Rows:
    """Yield the share of intervals that contain the true standard deviation, and the mean of 1 minus its estimate."""
    for n in (2, 3, 6, 12, 18):
        normal, uniform = (
            [float(d.std(ddof=1)) for d in experiments(number, draw, n, key)]
            for draw, key in ((_normal_rates, 4), (_uniform_rates, 5))
        )
        inside, other = (
            rate(low <= SPREAD <= high for low, high in (deviation_interval(spread, n - 1) for spread in spreads))
            for spreads in (normal, uniform)
        )
        yield [str(n), inside, other, f"{1 - np.mean(normal):.3f}"]


def _normal_rates(rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(0, SPREAD, n)


def _uniform_rates(rng: np.random.Generator, n: int) -> Numbers:
    return rng.uniform(0, math.sqrt(12) * SPREAD, n)
