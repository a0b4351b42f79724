"""The sign-flip test of paired differences and the interval that follows from it. Pure functions over numbers."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stats.intervals import INTERVAL_FROM, KEPT, LEVEL, MANY, RESAMPLES, SEED, Interval, packed, student_interval

EXACT = 12
"""Up to this many differences other than zero, every flip of signs is tried: at most 4,096."""

ROUNDING = 1e-12
"""Differences of scores below this are rounding errors."""

Floats = NDArray[np.float64]


def sign_flip_p(differences: Sequence[float] | Floats) -> float:
    """Two-sided p of the paired permutation test: how often random signs give a mean as far from zero.

    Under the null hypothesis the difference of an instance is as likely to be d as -d (Fisher's randomization test).
    Zeros stay zero under every flip, so they are left out. 1 where every difference is zero. Every flip is tried up to
    EXACT differences, RESAMPLES random ones up to MANY, and for more the p of `t_p` is close enough.
    """
    d, _ = _in_order(differences)
    d = d[d != 0]
    n = len(d)
    if n < 2:
        return 1.0
    if n > MANY:
        return float(t_p(d))
    # Sums of the same numbers in another order differ by rounding errors.
    least = abs(d.sum()) - 1e-9 * np.abs(d).sum()
    return float((np.abs(_signs(n) @ d) >= least).mean())


def flip_interval(differences: Sequence[float] | Floats) -> Interval | None:
    """95 % interval of the mean difference: every value that the sign-flip test does not reject. None below INTERVAL_FROM.

    A flip is as far from a supposed mean as the differences are if that mean lies between the mean of the flipped
    differences and the mean of the others. So the ends are order statistics of the lower and of the upper ones of these
    means (compare Hartigan 1969, JASA 64). Beyond MANY differences Student's t. Zero is inside wherever `sign_flip_p`
    is LEVEL or more.
    """
    d, turned = _in_order(differences)
    if len(d) < INTERVAL_FROM:
        return None
    low, high = _accepted(packed(d))
    return (-high, -low) if turned else (low, high)


# A page and its figures ask for the same intervals.
@lru_cache(maxsize=KEPT)
def _accepted(values: bytes) -> Interval:
    d = np.frombuffer(values)
    n = len(d)
    low, high = (
        _not_rejected(d) if n <= MANY else student_interval(float(d.mean()), float(d.std(ddof=1)) / math.sqrt(n), n)
    )
    return (min(low, 0.0), max(high, 0.0)) if sign_flip_p(d) >= LEVEL else (low, high)


def _not_rejected(d: Floats) -> Interval:
    kept = _signs(len(d)) > 0
    counts = kept.sum(axis=1)
    sums = kept @ d
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.array([sums / counts, (d.sum() - sums) / (len(d) - counts)])
    # A flip of all signs or of none is as far from any supposed mean.
    everything = (counts == 0) | (counts == len(d))
    lower = np.where(everything, -np.inf, means.min(axis=0))
    upper = np.where(everything, np.inf, means.max(axis=0))
    last = math.ceil(LEVEL * len(counts) - 1e-9) - 1
    return float(np.partition(lower, last)[last]), float(-np.partition(-upper, last)[last])


def _in_order(differences: Sequence[float] | Floats) -> tuple[Floats, bool]:
    """The differences by size with zeros last, of which the sum is not negative; and whether they were negated for that.

    Random flips then give the same for the same differences in any order, and the opposite for their negatives.
    """
    d = np.sort(np.asarray(differences, dtype=np.float64))
    negated = -d[::-1]
    total = math.fsum(d)
    turned = total < 0 or (total == 0 and d.tolist() < negated.tolist())
    d = negated if turned else d
    return np.concatenate([d[d != 0], d[d == 0]]), turned


def _signs(n: int) -> NDArray[np.int8]:
    """Signs of each flip, the observed ones among them: all up to EXACT, else RESAMPLES random ones. Shape (flips, n)."""
    return _every(n) if n <= EXACT else _random()[:, :n]


@lru_cache(maxsize=EXACT + 1)
def _every(n: int) -> NDArray[np.int8]:
    return np.array(list(product((1, -1), repeat=n)), dtype=np.int8)


@lru_cache(maxsize=1)
def _random() -> NDArray[np.int8]:
    """A megabyte. One set for every number of differences, so that zeros change nothing."""
    signs = np.random.default_rng(SEED).choice(np.array([-1, 1], dtype=np.int8), (RESAMPLES + 1, MANY))
    signs[0] = 1
    return signs


def t_p(differences: Floats) -> Floats:
    """Two-sided p of the paired t test for each row of at least two differences; 0 where they are equal and not zero.

    differences: shape (..., instances), NaN where one of the two has no score
    """
    from scipy.special import stdtr

    has_score = ~np.isnan(differences)
    n = has_score.sum(axis=-1)
    means = np.sum(differences, axis=-1, where=has_score) / n
    squares = np.sum((differences - means[..., None]) ** 2, axis=-1, where=has_score)
    errors = np.sqrt(squares / (n - 1) / n)
    t = np.divide(-np.abs(means), errors, out=np.full(np.shape(n), -np.inf), where=errors > 1e-12 * np.abs(means))
    return np.asarray(2 * stdtr(n - 1, t))
