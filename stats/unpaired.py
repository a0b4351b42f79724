"""Do two means over different instances differ? Pure functions over numbers. SciPy is imported inside functions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stats.means import KEPT, LEVEL, Interval, bounded_interval, packed, student_interval
from stats.one_sample import is_bounded, no_test

LEAST_P = 1e-9
"""The smallest p that is told apart from 0."""


@dataclass(frozen=True)
class Unpaired:
    """The difference of two means, the second minus the first, as a share.

    interval: 95 %, combined from the intervals of both means; None without a test
    p: two-sided; 0 lies in the interval if and only if it is at least 5 %
    reason: why there is no test, in words; empty if there is one
    """

    difference: float
    interval: Interval | None = None
    p: float | None = None
    reason: str = ""


def unpaired(first: Sequence[float], second: Sequence[float]) -> Unpaired:
    """Compare two means by the interval of their difference. Neither group may be empty.

    With the means m and the intervals (l, u) of both: m2 - m1 - sqrt((m2 - l2)^2 + (u1 - m1)^2) to
    m2 - m1 + sqrt((u2 - m2)^2 + (m1 - l1)^2) (Zou and Donner 2008, Statistics in Medicine 27). Welch's interval covers the
    difference in 82 to 92 % of cases if 60 % of one group lie at a bound.
    """
    return _unpaired(packed(first), packed(second))


@lru_cache(maxsize=KEPT)
def _unpaired(first_values: bytes, second_values: bytes) -> Unpaired:
    from scipy.optimize import brentq

    groups = np.frombuffer(first_values), np.frombuffer(second_values)
    difference = float(groups[1].mean() - groups[0].mean())
    if reason := next(filter(None, map(no_test, groups)), ""):
        return Unpaired(difference, reason=reason)

    def outside(level: float) -> float:
        """How far 0 lies outside the interval that covers 1 - level; negative inside."""
        low, high = _interval(*groups, level)
        return max(low, -high)

    p = LEAST_P
    if outside(LEAST_P) <= 0:
        p = float(brentq(outside, LEAST_P, 1.0, xtol=1e-6)) if outside(1.0) > 0 else 1.0
    return Unpaired(difference, _interval(*groups, LEVEL), p)


def _interval(first: NDArray[np.float64], second: NDArray[np.float64], level: float) -> Interval:
    (first_mean, first_low, first_high), (second_mean, second_low, second_high) = (
        (float(x.mean()), *_own_interval(x, level)) for x in (first, second)
    )
    difference = second_mean - first_mean
    return (
        difference - math.hypot(second_mean - second_low, first_high - first_mean),
        difference + math.hypot(second_high - second_mean, first_mean - first_low),
    )


def _own_interval(x: NDArray[np.float64], level: float) -> Interval:
    error = float(x.std(ddof=1)) / math.sqrt(len(x))
    return (bounded_interval if is_bounded(x) else student_interval)(float(x.mean()), error, len(x), level)
