"""Does a mean differ from a number that a paper printed? Pure functions over numbers.

The number counts as exact. It is itself a mean of runs whose error is not printed, so p is too small for the question
whether two agents differ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stats.means import BOUNDS, INTERVAL_FROM, ROUNDING, Interval, bounded_interval, student_interval
from stats.paired import holm

BETWEEN = 3
"""Minimum number of values between the bounds for a test. With fewer the error reaches 7.5 % (90 % of 36 values at a
bound)."""


@dataclass(frozen=True)
class OneSample:
    """The mean of n values against a printed number, all as shares.

    difference: the mean minus the number
    interval: its 95 % interval, `bounded_interval` less the number; None without a test
    p: two-sided; 0 lies in the interval if and only if it is at least 5 %
    reason: why there is no test, in words; empty if there is one
    adjusted_p: p adjusted by Holm's method over the tests made together
    """

    n: int
    mean: float
    difference: float
    interval: Interval | None = None
    p: float | None = None
    reason: str = ""
    adjusted_p: float | None = None


def one_samples(samples: Sequence[tuple[Sequence[float], float]]) -> list[OneSample]:
    """Make one test for each pair of values and printed number, and adjust all p values together."""
    tests = [one_sample(values, printed) for values, printed in samples]
    adjusted = iter(holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else replace(test, adjusted_p=next(adjusted)) for test in tests]


def one_sample(values: Sequence[float], printed: float) -> OneSample:
    """Student's t test against the printed number, and for values between the BOUNDS also that of the log-odds.

    p is the larger one, which inverts `bounded_interval`: scores near a bound are skewed, and a sign-flip test of their
    differences, which assumes symmetry, rejects a true number in up to 13 % of cases.
    """
    x = np.asarray(values, dtype=np.float64)
    n, mean = len(x), float(x.mean())
    if reason := no_test(x):
        return OneSample(n, mean, mean - printed, reason=reason)
    error = float(x.std(ddof=1)) / math.sqrt(n)
    p = _student_p((mean - printed) / error, n)
    if is_bounded(x) and BOUNDS[0] < printed < BOUNDS[1]:
        odds = math.log(mean / (1 - mean)) - math.log(printed / (1 - printed))
        p = max(p, _student_p(odds * mean * (1 - mean) / error, n))
    low, high = (bounded_interval if is_bounded(x) else student_interval)(mean, error, n)
    return OneSample(n, mean, mean - printed, (low - printed, high - printed), p)


def no_test(x: NDArray[np.float64]) -> str:
    """Why the mean of these values has no test, in two words; empty if it has one.

    'too few': fewer than INTERVAL_FROM; 'at a bound': all but fewer than BETWEEN
    """
    at_bound = np.isclose(x[:, None], BOUNDS, rtol=0, atol=1e-9).any(axis=1)
    reasons = {
        "too few": len(x) < INTERVAL_FROM,
        "all equal": np.ptp(x) < ROUNDING if len(x) else True,
        "at a bound": len(x) - at_bound.sum() < BETWEEN,
    }
    return next((text for text, applies in reasons.items() if applies), "")


def is_bounded(x: NDArray[np.float64]) -> bool:
    return bool(BOUNDS[0] <= x.min() and x.max() <= BOUNDS[1])


def _student_p(t: float, n: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(n - 1, -abs(t)))
