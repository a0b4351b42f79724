"""95 % interval of a mean over groups of values in which every group counts the same. Pure functions over numbers."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.means import BOUNDS, INTERVAL_FROM, Interval, bounded_interval, student_interval

COSTS_FROM = 12
"""Minimum number of costs for an interval. In fewer, the few dear ones of a skewed distribution are often absent."""


class Group(NamedTuple):
    """A sample. error: standard error of its mean, None for fewer than two values; n: number of values"""

    mean: float
    error: float | None
    n: int


class Pooled(NamedTuple):
    """The mean of the means of groups. freedom: degrees of freedom of its standard error"""

    mean: float
    error: float
    freedom: float


def pooled(groups: Sequence[Group], least: int) -> Pooled | None:
    """The mean of the means, and its standard error from the spread within each group.

    The degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2). None if a group has no standard error, if no
    value differs from its group's mean, or if the groups have less than `least` - 1 degrees of freedom together.
    """
    errors = [group.error for group in groups if group.error is not None]
    if not groups or len(errors) < len(groups) or sum(group.n - 1 for group in groups) < least - 1:
        return None
    mean = math.fsum(group.mean for group in groups) / len(groups)
    variances = [(error / len(groups)) ** 2 for error in errors]
    total = math.fsum(variances)
    if math.sqrt(total) <= 1e-12 * max(1.0, abs(mean)):
        return None
    parts = (variance**2 / (group.n - 1) for variance, group in zip(variances, groups, strict=True))
    return Pooled(mean, math.sqrt(total), total**2 / math.fsum(parts))


def stratified_interval(groups: Sequence[Group], *, is_bounded: bool) -> Interval | None:
    """95 % interval of the mean of the means of at least two groups; None where `pooled` is None.

    is_bounded: whether every value lies within the BOUNDS; if so, the method is `bounded_interval`, else Student's t
    """
    mean = pooled(groups, INTERVAL_FROM)
    if mean is None:
        return None
    inside = is_bounded and BOUNDS[0] < mean.mean < BOUNDS[1]
    interval = bounded_interval if inside else student_interval
    return interval(mean.mean, mean.error, mean.freedom + 1)


def cost_interval(groups: Sequence[NDArray[np.float64]]) -> Interval | None:
    """95 % interval of the mean of the mean costs of groups, which are not negative and skewed; None where `pooled` is None.

    It is the union of the Student's t intervals of the mean and of its logarithm (delta method). The standard error of a
    group is the larger one of that of its mean and of that of the mean of a lognormal distribution with the group's
    variance of logarithms (Olsson 2005, Journal of Statistics Education 13), since a small sample often lacks dear runs.
    """
    mean = pooled([_group_of_costs(costs) for costs in groups], COSTS_FROM)
    if mean is None or mean.mean <= 0:
        return None
    low, high = student_interval(mean.mean, mean.error, mean.freedom + 1)
    logarithms = student_interval(math.log(mean.mean), mean.error / mean.mean, mean.freedom + 1)
    return max(0.0, min(low, math.exp(logarithms[0]))), max(high, math.exp(logarithms[1]))


def _group_of_costs(costs: NDArray[np.float64]) -> Group:
    n, mean = len(costs), float(costs.mean())
    if n < 2:
        return Group(mean, None, n)
    variance = float(costs.var(ddof=1)) / n
    if costs.min() > 0:
        of_logarithms = float(np.log(costs).var(ddof=1))
        variance = max(variance, mean**2 * (of_logarithms / n + of_logarithms**2 / (2 * (n - 1))))
    return Group(mean, math.sqrt(variance), n)
