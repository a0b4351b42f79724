"""The association of two measures over agents, models or makers: Pearson's r, its interval and its p. Pure functions.

The points must be independent, such as one for each model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from stats.lines.fits import Fit, fit
from stats.means import KEPT, LEVEL, MANY, RESAMPLES, SEED, Interval, packed

EXACT = 8
"""Maximum number of points for which all orders are tried: at most 40,320."""

INTERVAL_FROM, MOST_WITHOUT_BOUNDS = 5, 8
"""Minimum number of points for an interval, and maximum number if a measure has no bounds."""

PERFECT = 1 - 1e-12
"""An |r| above this differs from 1 by rounding errors only."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Association:
    """Pearson's correlation of two measures.

    line: the least-squares line; its R² is the square of r
    p: two-sided p of the permutation test; exact: whether all orders were tried
    interval: 95 % interval of r; None if there is none, and `without` is the reason as a sentence
    """

    r: float
    line: Fit
    p: float
    exact: bool
    interval: Interval | None = None
    without: str = ""

    @property
    def n(self) -> int:
        return self.line.n


def association(x: Sequence[float], y: Sequence[float], *, bounded: bool = True) -> Association | str:
    """Correlate two measures. Returns a sentence with the reason if there is no correlation.

    bounded: whether both measures have bounds, such as scores and dates
    """
    line = fit(x, y)
    if isinstance(line, str):
        return line
    r = math.copysign(min(1.0, math.sqrt(line.r_squared)), line.slope)
    p = permutation_p(x, y)
    interval = _interval(r, np.array([x, y], dtype=np.float64), bounded)
    if isinstance(interval, str):
        return Association(r, line, p, line.n <= EXACT, without=interval)
    low, high = interval
    # The interval must not contradict the test.
    low, high = (min(low, 0.0), max(high, 0.0)) if p >= LEVEL else (low, high)
    return Association(r, line, p, line.n <= EXACT, (low, high))


def permutation_p(x: Sequence[float], y: Sequence[float]) -> float:
    """Two-sided p of r: how often another order of the y values gives an |r| at least as large (Pitman 1937).

    Valid for all distributions, also with ties, if the points are independent. All orders are tried for up to EXACT
    points, RESAMPLES random ones for up to MANY. For more, p is that of the slope, from Student's t. The axes and the
    order of the points do not matter. Neither x nor y may be constant.
    """
    if len(x) > MANY:
        line = fit(x, y)
        assert isinstance(line, Fit)
        return line.p
    points = zip(*sorted((_standard(x), _standard(y))), strict=True)
    return _permutation_p(packed([value for point in sorted(points) for value in point]))


def _standard(values: Sequence[float]) -> tuple[float, ...]:
    """The values with mean 0 and length 1, rounded so that rounding errors do not break ties."""
    centred = np.asarray(values, dtype=np.float64) - np.mean(values)
    return tuple(np.round(centred / np.linalg.norm(centred), 12).tolist())


# Cached, because a page and its figure need the same p.
@lru_cache(maxsize=KEPT)
def _permutation_p(points: bytes) -> float:
    x, y = np.frombuffer(points).reshape(-1, 2).T
    least = abs(float(x @ y)) - 1e-9
    return float((np.abs(y[_orders(len(x))] @ x) >= least).mean())


@lru_cache(maxsize=8)
def _orders(n: int) -> NDArray[np.uint8]:
    """Orders of n values, shape (orders, n), the given one first."""
    if n <= EXACT:
        return np.array(list(permutations(range(n))), dtype=np.uint8)
    orders = np.tile(np.arange(n, dtype=np.uint8), (RESAMPLES + 1, 1))
    orders[1:] = np.random.default_rng(SEED).permuted(orders[1:], axis=1)
    return orders


def _interval(r: float, values: Floats, bounded: bool) -> Interval | str:
    """95 % interval of r by Fisher's z, or the reason why there is none.

    z = artanh(r) ± t(n - 2) max(1 / sqrt(n - 3), jackknife error of z). The first error is that of normal values
    (Fisher 1921), the second takes skewed values and ties into account. values: shape (2, n)
    """
    n = values.shape[1]
    if n < INTERVAL_FROM:
        return f"An interval of r needs at least {INTERVAL_FROM} points."
    if n > MOST_WITHOUT_BOUNDS and not bounded:
        return (
            f"No interval: a measure has no bounds, and with more than {MOST_WITHOUT_BOUNDS} points a few extreme values "
            "would make it too narrow."
        )
    if abs(r) > PERFECT:
        return "No interval: all points lie on one line."
    others = _without_each(values)
    if np.isnan(others).any():
        return "No interval: without one of the points, a measure has a single value."
    from scipy.special import stdtrit

    z = np.arctanh(np.clip(others, -PERFECT, PERFECT))
    jackknife = math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))
    half = float(stdtrit(n - 2, 1 - LEVEL / 2)) * max(1 / math.sqrt(n - 3), jackknife)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _without_each(values: Floats) -> Floats:
    """r without each of the points, shape (n,); NaN where a measure is then constant."""
    n = values.shape[1]
    x, y = values - values.mean(axis=1, keepdims=True)
    share = n / (n - 1)
    left = [float(u @ v) - share * u * v for u, v in ((x, x), (y, y), (x, y))]
    varies = (left[0] > 1e-12 * float(x @ x)) & (left[1] > 1e-12 * float(y @ y))
    scale = np.sqrt(np.where(varies, left[0] * left[1], 1.0))
    return np.where(varies, left[2] / scale, np.nan)
