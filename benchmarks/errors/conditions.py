"""Means over different instances: the interval of their difference, and Welch's test of a metric."""

from itertools import product

import numpy as np

from benchmarks.errors.draws import MEANS, SEED
from benchmarks.harness import Rows, prints, rate, share
from stats.means import LEVEL
from stats.pairwise import Welch, welch
from stats.unpaired import unpaired

PAIRS = (
    ("normal", "normal"),
    ("beta(8, 1)", "beta(8, 1)"),
    ("beta(8, 1)", "normal"),
    ("heavy tails (t, 2 df)", "heavy tails (t, 2 df)"),
    ("60 % at the bound", "60 % at the bound"),
    ("60 % at the bound", "normal"),
    ("60 % at the bound", "beta(8, 1)"),
)
GROUPS = ((6, 6), (6, 12), (8, 8), (12, 12), (12, 6), (36, 36))


@prints("Two means over different instances", "scores", "numbers", "have a test", "p < 0.05",
        "interval contains the difference", "Welch p < 0.05")  # fmt: skip
def two_means(number: int) -> Rows:
    """Yield shares of experiments in which the interval contains the true difference, and in which tests reject.

    `unpaired` tests equal means only, Welch's test also groups of different means, of which the first is shifted.
    """
    for (first, second), sizes in product(PAIRS, GROUPS):
        (first_mean, draw_first), (second_mean, draw_second) = MEANS[first], MEANS[second]
        rng = np.random.default_rng([SEED, *sizes, 8])
        drawn = [(draw_first(rng, sizes[0]), draw_second(rng, sizes[1])) for _ in range(number)]
        true = second_mean - first_mean
        found = [test for x, y in drawn if (test := unpaired(x, y)).interval is not None]
        inside = [low <= true <= high for low, high in (test.interval for test in found if test.interval)]
        rejected = rate(test.p is not None and test.p < LEVEL for test in found) if abs(true) < 1e-9 else "–"
        tests = [test for x, y in drawn if isinstance(test := welch(x + true, y, "values"), Welch)]
        yield [
            f"{first}; {second}", "{}, {}".format(*sizes), share(len(found), number), rejected, rate(inside),
            rate(test.p < LEVEL for test in tests),
        ]  # fmt: skip
