"""Has an agent changed? A replay of fixed instances against a baseline of earlier replays. Pure functions over numbers.

The test is a permutation test within instances (Pitman 1937, Supplement to the JRSS 4; Good 2005, Permutation, Parametric
and Bootstrap Tests of Hypotheses): if nothing has changed, each of an instance's values is as likely to be the new one.
With one earlier replay it is the sign-flip test. With several it stays exact, which a sign-flip test against their mean
is not where scores are skewed. Each look may use an equal part of the error of a year, so that the sum bounds it.
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
"""Replays of a baseline. Two show how much an agent differs from itself, and fewer instances are enough than with one."""

EXACT_CHOICES = 2**18
"""Up to this many choices of the new values, all are tried: with two earlier replays up to 11 instances."""


@dataclass(frozen=True)
class Replayed:
    """A replay against its baseline.

    n: instances with a value in both; difference: mean of the new value minus the mean of the earlier ones, None for n = 0
    p: two-sided; level: the largest p that counts as a change
    can_tell: whether a change of all these instances in one direction would surely have counted
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
    """The error of one of so many looks a year, whose sum is LEVEL (Bonferroni)."""
    return LEVEL / looks


def smallest_p(replays: Sequence[int]) -> float:
    """The smallest p that is surely reached where all instances change in one direction. replays: of each, the new included

    Only the choice with the smallest mean can be as far from zero as that with the largest.
    """
    return min(1.0, 2 / math.prod(replays))


def fewest_instances(looks: int) -> int:
    """With fewer instances no change is sure to count: 6 for 12 looks a year, 7 for 53."""
    return next(n for n in range(1, 100) if smallest_p([BASELINE_ROUNDS + 1] * n) <= level_of_look(looks))


def replayed(earlier: Sequence[Sequence[float]], new: Sequence[float], looks: int) -> Replayed:
    """Compare a replay with its baseline. earlier: the baseline's values of each instance; new: one value for each

    Instances without an earlier value are left out. Differences smaller than rounding errors count as zero.
    """
    rows = [_differences([*values, last]) for values, last in zip(earlier, new, strict=True) if values]
    level = level_of_look(looks)
    if not rows:
        return Replayed(0, None, 1.0, level, can_tell=False)
    p = _p([row for row in rows if any(row)])
    return Replayed(len(rows), fmean(row[-1] for row in rows), p, level, smallest_p([*map(len, rows)]) <= level)


def _differences(values: Sequence[float]) -> list[float]:
    """For each value how far it is from the mean of the others."""
    total, others = math.fsum(values), len(values) - 1
    differences = [value - (total - value) / others for value in values]
    return [0.0 if abs(difference) < ROUNDING else difference for difference in differences]


@lru_cache(maxsize=256)
def _random_choices(values: int, row_index: int) -> NDArray[np.int8]:
    """Which value of an instance is the new one, of random choices and of the observed one, the last."""
    choices = np.random.default_rng([SEED, values, row_index]).integers(0, values, RESAMPLES + 1, dtype=np.int8)
    choices[-1] = values - 1
    return choices


def _p(rows: Sequence[Sequence[float]]) -> float:
    """How often a choice of the new values gives a sum as far from zero. The observed choice, the last, is one of them."""
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
    # Sums of the same numbers in another order differ by rounding errors.
    least = abs(sums[-1]) - 1e-9 * sum(max(map(abs, row)) for row in rows)
    return float((np.abs(sums) >= least).mean())
