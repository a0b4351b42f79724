"""Periods to the first optimal action: the interval of the restricted mean, and the paired test between agents."""

from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.errors.draws import SEED, Numbers, experiments
from benchmarks.harness import Rows, prints, rate, share
from stats.means import LEVEL, flip_interval, sign_flip_p
from stats.times import restricted_interval

LENGTH = 100
SIZES = (5, 8, 12, 36)
Draw = Callable[[np.random.Generator, int], Numbers]


def _whole(values: Numbers) -> Numbers:
    """Restricted times from continuous ones: whole periods, at least 1 and at most LENGTH."""
    return np.clip(np.ceil(values), 1, LENGTH)


TIMES: dict[str, Draw] = {
    "normal, none unsolved": lambda rng, n: _whole(rng.normal(50, 12, n)),
    "skewed: 100 × (1 − beta(8, 1))": lambda rng, n: _whole(LENGTH * (1 - rng.beta(8, 1, n))),
    "heavy tails (t, 2 df)": lambda rng, n: _whole(40 + 6 * rng.standard_t(2, n)),
    "geometric, 13 % unsolved": lambda rng, n: _whole(rng.geometric(0.02, n).astype(float)),
    "60 % unsolved": lambda rng, n: np.where(rng.random(n) < 0.6, LENGTH, _whole(rng.uniform(0, LENGTH, n))),
    "60 % in the first period": lambda rng, n: np.where(rng.random(n) < 0.6, 1.0, _whole(rng.uniform(0, LENGTH, n))),
}
"""Functions that draw the restricted times of one agent on n instances."""


@prints("Restricted mean of the periods to an optimal action", "times", "n", "have an interval",
        "interval contains the mean")  # fmt: skip
def restricted_means(number: int) -> Rows:
    """Yield the share of intervals that contain the true mean; a dash if fewer than 5 % of experiments have one."""
    for (kind, draw), n in product(TIMES.items(), SIZES):
        true = float(draw(np.random.default_rng([SEED, 1]), 2_000_000).mean())
        intervals = [interval for d in experiments(number, draw, n, 11) if (interval := restricted_interval(d, LENGTH))]
        inside = rate(low <= true <= high for low, high in intervals)
        yield [kind, str(n), share(len(intervals), number), inside if len(intervals) * 20 >= number else "–"]


@prints("Paired differences of restricted times", "times", "n", "sign-flip", "interval contains 0")
def paired_times(number: int) -> Rows:
    """Yield the share of experiments of two equal agents with p < 0.05, and of intervals that contain 0."""
    for (kind, draw), n in product(TIMES.items(), SIZES):
        drawn = [a - b for a, b in zip(*(experiments(number, draw, n, key) for key in (12, 13)), strict=True)]
        intervals = [interval for d in drawn if (interval := flip_interval(d))]
        inside = rate(low <= 0 <= high for low, high in intervals) if intervals else "–"
        yield [kind, str(n), rate(sign_flip_p(d) < LEVEL for d in drawn), inside]
