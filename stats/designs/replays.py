"""Tests whether an agent has changed: compares a replay of fixed instances with a baseline of earlier replays.

The test is a permutation test within instances (Pitman 1937, Supplement to the JRSS 4; Good 2005, Permutation, Parametric
and Bootstrap Tests of Hypotheses). If nothing has changed, each value of an instance is equally likely to be the new one.
With one earlier replay it is the sign-flip test. With several it stays exact, while a sign-flip test against their mean is
not exact for skewed scores. The looks of a year share the error of 5 % equally, so the error of a year is at most 5 %.
Pure functions over numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, RESAMPLES, ROUNDING, SEED

BASELINE_ROUNDS = 2
"""Number of replays of a baseline. Two show how much an agent's scores vary, and need fewer instances than one."""

EXACT_CHOICES = 2**18
"""Maximum number of choices of the new values for which all are tried: 11 instances with two earlier replays."""


@dataclass(frozen=True)
class Replayed:
    """The comparison of a replay with its baseline.

    n: instances with a value in both; difference: mean of (new value - mean of the earlier values), None for n = 0
    p: two-sided; level: the largest p that counts as a change
    can_tell: whether a change of all instances in one direction is certain to be significant
    """

    n: int
    difference: float | None
    p: float
    level: float
    can_tell: bool

    @property
    def is_changed(self) -> bool:
        return self.p <= self.level


def level_of_look(looks: int) -> float:
    """The significance level of one look if there are `looks` a year. The levels of a year sum up to LEVEL (Bonferroni)."""
    return LEVEL / looks


def smallest_p(replays: Sequence[int]) -> float:
    """The largest possible p if all instances change in one direction.

    For a rise, the observed choice of new values has the largest mean of all choices. At most one other choice is as far
    from zero: the one with the smallest mean.

    replays: for each instance, its number of replays, including the new one
    """
    return min(1.0, 2 / math.prod(replays))


def fewest_instances(looks: int) -> int:
    """The smallest number of instances for which a change of all in one direction is certain to be significant.

    It is 6 for 12 looks a year, 7 for 53.
    """
    return next(n for n in range(1, 100) if smallest_p([BASELINE_ROUNDS + 1] * n) <= level_of_look(looks))


def replayed(earlier: Sequence[Sequence[float]], new: Sequence[float], looks: int) -> Replayed:
    """Compare a replay with its baseline.

    Instances without an earlier value are left out. Differences below ROUNDING count as zero.

    earlier: for each instance, the values of the baseline; new: for each instance, the new value
    """
    rows = [_differences([*values, last]) for values, last in zip(earlier, new, strict=True) if values]
    level = level_of_look(looks)
    if not rows:
        return Replayed(0, None, 1.0, level, can_tell=False)
    p = _p([row for row in rows if any(row)])
    return Replayed(len(rows), fmean(row[-1] for row in rows), p, level, smallest_p([*map(len, rows)]) <= level)


def _differences(values: Sequence[float]) -> list[float]:
    """The difference of each value from the mean of the other values."""
    total, others = math.fsum(values), len(values) - 1
    differences = [value - (total - value) / others for value in values]
    return [0.0 if abs(difference) < ROUNDING else difference for difference in differences]


@lru_cache(maxsize=256)
def _random_choices(values: int, row_index: int) -> NDArray[np.int8]:
    """Positions of the value taken as new, in each random choice for an instance. The last choice is the observed one."""
    choices = np.random.default_rng([SEED, values, row_index]).integers(0, values, RESAMPLES + 1, dtype=np.int8)
    choices[-1] = values - 1
    return choices


def _p(rows: Sequence[Sequence[float]]) -> float:
    """The share of choices of new values whose sum is at least as far from zero as the sum of the last, observed choice."""
    if not rows:
        return 1.0
    if math.prod(map(len, rows)) <= EXACT_CHOICES:
        sums = np.zeros(1)
        for row in rows:
            sums = np.add.outer(sums, np.array(row)).ravel()
    else:
        sums = np.zeros(RESAMPLES + 1)
        for index, row in enumerate(rows):
            sums += np.array(row)[_random_choices(len(row), index)]
    # Allow for rounding errors: sums of the same numbers in a different order may differ.
    least = abs(sums[-1]) - 1e-9 * sum(max(map(abs, row)) for row in rows)
    return float((np.abs(sums) >= least).mean())
