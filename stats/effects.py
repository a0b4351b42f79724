"""Effect sizes of a paired comparison: the mean difference in standard deviations. Pure functions over numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.means import INTERVAL_FROM, LEVEL, ROUNDING, Interval, sign_flip_p

WIDER = 1.2
"""Factor of the jackknife interval. Without it, heavy tails are covered too seldom."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """A mean difference in standard deviations, with Hedges' correction and a 95 % interval.

    of_differences: in standard deviations of the differences of instances (d_z)
    of_scores: in standard deviations of the scores of one agent, the root of the mean of both variances (d_av); None if
        neither agent's scores vary
    """

    of_differences: float
    interval: Interval
    of_scores: float | None
    scores_interval: Interval | None


def effect(first: Sequence[float], second: Sequence[float]) -> Effect | None:
    """The effect of the second agent's scores over the first's, which are in the same order of instances.

    None for fewer than INTERVAL_FROM instances, for equal differences, and if all but one are equal. Source: Cohen 1988;
    correction 1 - 3 / (4 (n - 1) - 1): Hedges 1981, Journal of Educational Statistics 6.

    The interval is the union of two: that of a normal distribution (noncentral t) and 1.2 times that of Student's t with
    the standard error of the jackknife, around the effect with and without the jackknife's correction for bias. It
    contains 0 if the sign-flip test does not reject it.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    d, n = y - x, len(x)
    if n < INTERVAL_FROM:
        return None
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    without = without_each(d)[1]
    if spread < ROUNDING or without.min() < ROUNDING:
        return None
    is_open = sign_flip_p(np.where(np.abs(d) < ROUNDING, 0.0, d)) >= LEVEL
    correction = 1 - 3 / (4 * (n - 1) - 1)
    ends = _normal_interval(mean / spread, n)
    by_differences = _union(mean / spread, without_each(d)[0] / without, ends, is_open)
    of_scores = math.sqrt((float(x.var(ddof=1)) + float(y.var(ddof=1))) / 2)
    without_scores = np.sqrt((without_each(x)[1] ** 2 + without_each(y)[1] ** 2) / 2)
    if of_scores < ROUNDING or without_scores.min() < ROUNDING:
        return Effect(correction * mean / spread, by_differences, None, None)
    scaled = (ends[0] * spread / of_scores, ends[1] * spread / of_scores)
    by_scores = _union(mean / of_scores, without_each(d)[0] / without_scores, scaled, is_open)
    return Effect(correction * mean / spread, by_differences, correction * mean / of_scores, by_scores)


def without_each(x: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the values without each of them in turn."""
    n = len(x)
    means = (x.sum() - x) / (n - 1)
    centred = x - x.mean()
    squares = (centred**2).sum() - centred**2 * n / (n - 1)
    return means, np.sqrt(np.maximum(squares, 0.0) / (n - 2))


def _normal_interval(ratio: float, n: int) -> Interval:
    """95 % interval of the mean of normal values in their standard deviations. ratio: that of the sample"""
    from scipy.special import nctdtrinc

    t, root = ratio * math.sqrt(n), math.sqrt(n)
    low, high = (float(nctdtrinc(n - 1, level, t)) / root for level in (1 - LEVEL / 2, LEVEL / 2))
    return low, high


def _union(value: float, without: Floats, ends: Interval, is_open: bool) -> Interval:
    from scipy.special import stdtrit

    n = len(without)
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = WIDER * float(stdtrit(n - 1, 1 - LEVEL / 2)) * error
    unbiased = n * value - (n - 1) * float(without.mean())
    low, high = min(ends[0], min(value, unbiased) - half), max(ends[1], max(value, unbiased) + half)
    return (min(low, 0.0), max(high, 0.0)) if is_open else (low, high)
