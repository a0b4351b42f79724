"""Tests of a mean against a printed number, and their interval."""

from functools import partial
from itertools import product

import numpy as np

from benchmarks.errors.draws import MEANS, SIZES, Draw, Numbers, experiments
from benchmarks.harness import Rows, prints, rate, share
from stats.means import LEVEL, sign_flip_p
from stats.one_sample import OneSample, one_sample

PRINTED_RUNS = 12
"""Number of runs behind a printed mean of the papers."""


def _at_bound(share_at_bound: float, rng: np.random.Generator, n: int) -> Numbers:
    return np.where(rng.random(n) < share_at_bound, 1.0, rng.beta(8, 1, n))


SCORES: dict[str, tuple[float, Draw]] = MEANS | {
    f"{percent} % at the bound": (percent / 100 + (1 - percent / 100) * 8 / 9, partial(_at_bound, percent / 100))
    for percent in (80, 90)
}


@prints("A mean against a printed number", "scores", "n", "have a test", "p < 0.05", "interval contains the mean",
        "sign-flip p < 0.05", "p < 0.05, number from 12 other runs")  # fmt: skip
def printed_numbers(number: int) -> Rows:
    """Yield shares of experiments whose true mean is the printed number.

    The sign-flip test is of the same samples. In the last column the number is itself the mean of PRINTED_RUNS scores.
    """
    for (kind, (true, draw)), n in product(SCORES.items(), SIZES):
        drawn = list(experiments(number, draw, n, 3))
        tests = [test for d in drawn if (test := one_sample(d, true)).p is not None]
        prints_of_runs = experiments(number, draw, PRINTED_RUNS, 4)
        noisy = [one_sample(d, min(runs.mean(), 1.0)) for d, runs in zip(drawn, prints_of_runs, strict=True)]
        errors = [rate(map(_rejects, tests)), rate(map(_contains, tests))] if len(tests) * 20 >= number else ["–", "–"]
        flips = rate(sign_flip_p(d - true) < LEVEL for d in drawn)
        yield [kind, str(n), share(len(tests), number), *errors, flips, rate(map(_rejects, noisy))]


def _rejects(test: OneSample) -> bool:
    return test.p is not None and test.p < LEVEL


def _contains(test: OneSample) -> bool:
    return test.interval is not None and test.interval[0] <= 0 <= test.interval[1]
