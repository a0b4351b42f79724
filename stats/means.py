"""95 % intervals of a mean, the sign-flip test of paired differences and its interval. Pure functions over numbers.

A table has hundreds of means, so the bootstrap is vectorized and cached here. It takes 0.5 ms the first time, while
`scipy.stats.bootstrap` takes 3 ms each time. Tests check that both give the same interval.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05
"""Significance level of every test; intervals cover 1 - LEVEL."""

RESAMPLES, SEED = 9_999, 20_250_318
"""Number of bootstrap resamples or of sign flips in a permutation test, and the random seed of both."""

BOUNDS = (0.0, 1.0)
"""Lowest and highest possible score."""

INTERVAL_FROM, BCA_FROM, MANY = 6, 12, 100
"""Minimum number of values for an interval, and for a bootstrap. With more than MANY values, Student's t is used."""

KEPT = 512
"""Size of the caches of functions. A page with its figures needs a few hundred entries; more would only use memory."""

Interval = tuple[float, float]


def mean_interval(values: Sequence[float] | NDArray[np.float64]) -> Interval | None:
    """95 % interval of a mean by Student's t; None for fewer than INTERVAL_FROM values, and if all are equal.

    For up to MANY values within the BOUNDS, the method is `bounded_interval`. If at least half of these are equal to a
    bound, it is the BCa bootstrap (Efron 1987). For fewer than BCA_FROM values its coverage is too low: None.
    """
    return _mean_interval(packed(values))


def packed(values: Sequence[float] | NDArray[np.float64]) -> bytes:
    """Pack values into a cache key. A tuple of floats would need four times the memory, and caches fill quickly."""
    return np.asarray(values, dtype=np.float64).tobytes()


@lru_cache(maxsize=KEPT)
def _mean_interval(values: bytes) -> Interval | None:
    x = np.frombuffer(values)
    n = len(x)
    if n < INTERVAL_FROM or np.ptp(x) <= 1e-12 * max(1.0, float(np.abs(x).max())):
        return None
    at_bound = np.isclose(x[:, None], BOUNDS, rtol=0, atol=1e-9).any(axis=1).mean() >= 0.5
    if n <= MANY and at_bound:
        return bca(x) if n >= BCA_FROM else None
    mean, standard_error = float(x.mean()), float(x.std(ddof=1)) / math.sqrt(n)
    if n <= MANY and BOUNDS[0] <= x.min() and x.max() <= BOUNDS[1]:
        return bounded_interval(mean, standard_error, n)
    return student_interval(mean, standard_error, n)


def student_interval(mean: float, standard_error: float, n: float, level: float = LEVEL) -> Interval:
    """Interval of the mean of n values by Student's t. It covers 1 - level."""
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 1 - level / 2)) * standard_error
    return mean - half, mean + half


def bounded_interval(mean: float, standard_error: float, n: float, level: float = LEVEL) -> Interval:
    """Interval of the mean of n values between the BOUNDS that are not all equal. It covers 1 - level.

    It is the union of the Student's t intervals of the mean and of its log-odds (delta method), cut at the bounds. Values
    near a bound are skewed: for beta(8, 1) and n = 6, Student's t alone covers only 90 %.
    """
    odds = student_interval(math.log(mean / (1 - mean)), standard_error / (mean * (1 - mean)), n, level)
    low, high = (1 / (1 + math.exp(-end)) for end in odds)
    student_low, student_high = student_interval(mean, standard_error, n, level)
    return max(BOUNDS[0], min(low, student_low)), min(BOUNDS[1], max(high, student_high))


def deviation_interval(deviation: float, freedom: int, level: float = LEVEL) -> Interval:
    """Interval of a standard deviation of roughly normal values. It covers 1 - level. freedom: its degrees of freedom"""
    from scipy.special import chdtri

    low, high = (math.sqrt(freedom / float(chdtri(freedom, tail))) for tail in (level / 2, 1 - level / 2))
    return deviation * low, deviation * high


@lru_cache(maxsize=8)
def _resamples(n: int) -> NDArray[np.uint8]:
    """Positions of the values drawn by each resample, shape (RESAMPLES, n), up to a megabyte."""
    return np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n)).astype(np.uint8)


def bca(x: NDArray[np.float64]) -> Interval:
    """Bias-corrected and accelerated bootstrap interval of the mean of up to 256 values that are not all equal."""
    means = x[_resamples(len(x))].mean(axis=1)
    mean, normal = float(x.mean()), NormalDist()
    below = (int((means < mean).sum()) + int((means <= mean).sum())) / (2 * RESAMPLES)
    levels = (LEVEL / 2, 1 - LEVEL / 2)
    if 0 < below < 1:
        # The jackknife of a mean has a closed form: omitting a value changes the mean by deviation / (n - 1).
        deviations = x - mean
        a = float((deviations**3).sum()) / (6 * float((deviations**2).sum()) ** 1.5)
        z0 = normal.inv_cdf(below)
        shifted = [z0 + normal.inv_cdf(level) for level in levels]
        corrected = [normal.cdf(z0 + z / (1 - a * z)) for z in shifted if a * z < 1]
        levels = (corrected[0], corrected[1]) if len(corrected) == 2 else levels
    low, high = np.percentile(means, [100 * level for level in levels])
    return float(low), float(high)


EXACT = 12
"""Maximum number of nonzero differences for which all sign flips are tried: at most 4,096 flips."""

ROUNDING = 1e-12
"""Differences of scores below this are rounding errors."""

Floats = NDArray[np.float64]


def sign_flip_p(differences: Sequence[float] | Floats) -> float:
    """Two-sided p of the paired permutation test: how often random signs give a mean at least as far from zero.

    Under the null hypothesis the difference of an instance is as likely to be d as -d (Fisher's randomization test).
    Zeros do not change under flips, so they are left out. p is 1 for fewer than two nonzero differences. Up to EXACT of
    them, all flips are tried; up to MANY, RESAMPLES random flips. For more, p is from `t_p`, which is close enough.
    """
    d, _ = _in_order(differences)
    return _flip_p(packed(d[d != 0]))


# Cached, because a page and its figures need the same values.
@lru_cache(maxsize=KEPT)
def _flip_p(values: bytes) -> float:
    d = np.frombuffer(values)
    n = len(d)
    if n < 2:
        return 1.0
    if n > MANY:
        return float(t_p(d))
    # Allow for rounding errors: sums of the same numbers in a different order may differ.
    least = abs(d.sum()) - 1e-9 * np.abs(d).sum()
    return float((np.abs(_signs(n) @ d) >= least).mean())


def flip_interval(differences: Sequence[float] | Floats) -> Interval | None:
    """95 % interval of the mean difference: all values that the sign-flip test does not reject.

    None for fewer than INTERVAL_FROM differences. For more than MANY, Student's t is used. Zero is inside the interval if
    `sign_flip_p` is at least LEVEL.

    Each flip splits the differences into flipped and unflipped ones, with two means. A hypothetical mean between these
    two makes the flip at least as extreme as the observed signs. So the ends of the interval are order statistics of the
    smaller and of the larger of the two means over all flips (compare Hartigan 1969, JASA 64).
    """
    d, turned = _in_order(differences)
    if len(d) < INTERVAL_FROM:
        return None
    low, high = _accepted(packed(d))
    return (-high, -low) if turned else (low, high)


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
    # Flipping all signs or none is as extreme as the observed signs for every hypothetical mean.
    everything = (counts == 0) | (counts == len(d))
    lower = np.where(everything, -np.inf, means.min(axis=0))
    upper = np.where(everything, np.inf, means.max(axis=0))
    last = math.ceil(LEVEL * len(counts) - 1e-9) - 1
    return float(np.partition(lower, last)[last]), float(-np.partition(-upper, last)[last])


def _in_order(differences: Sequence[float] | Floats) -> tuple[Floats, bool]:
    """Sort the differences, zeros last, and negate all if their sum is negative. Return them and whether they were negated.

    So the result with random flips does not depend on the order of the differences or of the two agents.
    """
    d = np.sort(np.asarray(differences, dtype=np.float64))
    negated = -d[::-1]
    total = math.fsum(d)
    turned = total < 0 or (total == 0 and d.tolist() < negated.tolist())
    d = negated if turned else d
    return np.concatenate([d[d != 0], d[d == 0]]), turned


def _signs(n: int) -> NDArray[np.int8]:
    """Signs of each flip, shape (flips, n), the observed signs first. All flips up to EXACT, else RESAMPLES random flips."""
    return _every(n) if n <= EXACT else _random()[:, :n]


@lru_cache(maxsize=EXACT + 1)
def _every(n: int) -> NDArray[np.int8]:
    return np.array(list(product((1, -1), repeat=n)), dtype=np.int8)


@lru_cache(maxsize=1)
def _random() -> NDArray[np.int8]:
    """Random signs, one megabyte. They are the same for any number of differences, so that added zeros do not change p."""
    signs = np.random.default_rng(SEED).choice(np.array([-1, 1], dtype=np.int8), (RESAMPLES + 1, MANY))
    signs[0] = 1
    return signs


def t_p(differences: Floats) -> Floats:
    """Two-sided p of the paired t test for each row of at least two differences; 0 if they are equal and not zero.

    differences: shape (..., instances), NaN if one of the two has no score
    """
    from scipy.special import stdtr

    has_score = ~np.isnan(differences)
    n = has_score.sum(axis=-1)
    means = np.sum(differences, axis=-1, where=has_score) / n
    errors = np.sqrt(np.sum((differences - means[..., None]) ** 2, axis=-1, where=has_score) / (n - 1) / n)
    t = np.divide(-np.abs(means), errors, out=np.full(np.shape(n), -np.inf), where=errors > 1e-12 * np.abs(means))
    return np.asarray(2 * stdtr(n - 1, t))
