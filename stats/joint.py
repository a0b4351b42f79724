"""Intervals of the three scores of a litmus test that hold together, and of a mean of two means. Pure functions."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stats.effects import WIDER, without_each
from stats.means import (
    BOUNDS,
    INTERVAL_FROM,
    LEVEL,
    ROUNDING,
    Interval,
    bounded_interval,
    deviation_interval,
    student_interval,
)

TOGETHER = LEVEL / 3
"""Level of each of three intervals that all contain their true values in at least 95 % of cases (Bonferroni)."""

Floats = NDArray[np.float64]


def means_interval(parts: Sequence[Sequence[float]], level: float = LEVEL) -> Interval | None:
    """Interval of the mean of the means of independent groups of values, each group with the same weight.

    Student's t with the degrees of freedom of Welch and Satterthwaite. Between the BOUNDS also on the scale of log-odds,
    see `bounded_interval`. None without a group, if a group has fewer than INTERVAL_FROM values, if no value varies, and if
    at least half of the values of a group lie at a bound, where it covers too seldom.
    """
    groups = [np.asarray(part, dtype=np.float64) for part in parts]
    if not groups or any(len(x) < INTERVAL_FROM or _is_at_bound(x) for x in groups):
        return None
    squares = [float(x.var(ddof=1)) / len(x) / len(groups) ** 2 for x in groups]
    mean, variance = float(np.mean([x.mean() for x in groups])), math.fsum(squares)
    if variance < ROUNDING**2:
        return None
    freedom = variance**2 / math.fsum(square**2 / (len(x) - 1) for square, x in zip(squares, groups, strict=True))
    is_bounded = all(BOUNDS[0] <= x.min() and x.max() <= BOUNDS[1] for x in groups)
    interval = bounded_interval if is_bounded else student_interval
    return interval(mean, math.sqrt(variance), freedom + 1, level)


def _is_at_bound(x: Floats) -> bool:
    return bool(np.isclose(x[:, None], BOUNDS, rtol=0, atol=ROUNDING).any(axis=1).mean() >= 0.5)


def spread_interval(values: Sequence[float], level: float = TOGETHER) -> Interval | None:
    """Interval of the standard deviation of values between the BOUNDS, also of skewed ones.

    The union of that of normal values and of that of its logarithm with the standard error of the jackknife, WIDER. None
    for fewer than INTERVAL_FROM values, if all are equal, without one of them too, and if one lies at a bound.
    """
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    n = len(x)
    if n < INTERVAL_FROM or x.min() <= BOUNDS[0] or x.max() >= BOUNDS[1]:
        return None
    spread = float(x.std(ddof=1))
    without = without_each(x)[1]
    if without.min() < ROUNDING:
        return None
    logs = np.log(without)
    error = math.sqrt((n - 1) / n * float(((logs - logs.mean()) ** 2).sum()))
    factor = math.exp(WIDER * float(stdtrit(n - 1, 1 - level / 2)) * error)
    low, high = deviation_interval(spread, n - 1, level)
    return min(low, spread / factor), max(high, spread * factor)
