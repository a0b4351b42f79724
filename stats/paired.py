"""Paired statistics: is one agent better than another on the same instances? Pure functions over numbers.

Every function takes one difference for each instance: the second agent's score minus the first's.
SciPy is imported inside functions, because it would slow down the start of every process.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stats.means import EXACT, LEVEL, ROUNDING, Interval, flip_interval, sign_flip_p

POWER = 0.8
"""The statistical power for which the number of instances is planned."""

WILCOXON_FROM = 6
"""Minimum number of nonzero differences for a test. With five, the smallest p is 0.0625, so nothing is significant at 5 %."""


@dataclass(frozen=True)
class Paired:
    """The comparison of two agents.

    n: instances that both played; zeros: number of instances with equal scores
    difference: the mean difference; None without instances
    interval: its 95 % interval, see `flip_interval`; None for fewer than INTERVAL_FROM instances
    p: two-sided p of the sign-flip test; exact: whether all flips were tried
    wilcoxon_p: p of the signed-rank test without zeros; None for fewer than WILCOXON_FROM nonzero differences
    detectable: the smallest mean difference that n instances with this spread detect with 80 % power
    """

    n: int
    zeros: int = 0
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    exact: bool = True
    wilcoxon_p: float | None = None
    detectable: float | None = None


def paired(differences: Sequence[float]) -> Paired:
    """Compute all statistics of a comparison. Differences below ROUNDING count as zero."""
    d = np.asarray(differences, dtype=np.float64)
    d = np.where(np.abs(d) < ROUNDING, 0.0, d)
    n, zeros = len(d), int((d == 0).sum())
    if not n:
        return Paired(0)
    return Paired(
        n=n,
        zeros=zeros,
        difference=math.fsum(d) / n,
        interval=flip_interval(d),
        p=sign_flip_p(d),
        exact=n - zeros <= EXACT,
        wilcoxon_p=wilcoxon_p(d),
        detectable=detectable(d),
    )


def wilcoxon_p(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """Two-sided p of Wilcoxon's signed-rank test, zeros left out; None for too few differences.

    Without ties it is exact for up to 50 differences, with ties for up to 8. For more, the normal approximation is used.
    """
    from scipy import stats

    d = rankable(differences)
    if len(d) < WILCOXON_FROM:
        return None
    if len(np.unique(np.abs(d))) == len(d) <= 50:
        return float(stats.wilcoxon(d, method="exact").pvalue)
    if len(d) <= 8:
        return float(stats.wilcoxon(d, method=stats.PermutationMethod(n_resamples=2 ** len(d))).pvalue)
    return float(stats.wilcoxon(d, method="approx").pvalue)


def rankable(differences: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The nonzero differences divided by the largest, rounded so that rounding errors do not break ties."""
    d = np.asarray(differences, dtype=np.float64)
    d = np.round(d / np.max(np.abs(d), initial=ROUNDING), 12)
    return np.asarray(d[d != 0])


def detectable(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """The mean difference that a paired t test at LEVEL detects with POWER, given this spread and number of instances.

    None for fewer than three differences, and if they do not vary.
    """
    d = np.asarray(differences, dtype=np.float64)
    spread = float(d.std(ddof=1)) if len(d) > 2 else 0.0
    return spread * effect_for(len(d)) if spread > 1e-12 else None


# Cached, because a root search takes milliseconds. That of statsmodels may end at a negative effect, or return an array.
@lru_cache(maxsize=4096)
def effect_for(instances: int) -> float:
    """The mean in standard deviations that a paired t test at LEVEL on so many instances detects with POWER.

    instances: at least 2
    """
    from scipy.optimize import brentq
    from scipy.stats import t

    # The critical value and a few standard deviations more are detected for certain.
    most = 4 * (float(t.isf(LEVEL / 2, instances - 1)) + 1) / math.sqrt(instances)
    return float(brentq(lambda effect: _power(effect, instances) - POWER, 0.0, most, xtol=1e-12))


@lru_cache(maxsize=4096)
def instances_for(effect: float) -> int | None:
    """Number of instances on which a paired t test at LEVEL detects a mean of `effect` standard deviations with POWER.

    At least WILCOXON_FROM, because the sign-flip test cannot be significant on fewer. None for an effect below 0.001.
    """
    from scipy.optimize import brentq

    if effect < 1e-3:
        return None
    if _power(effect, WILCOXON_FROM) >= POWER:
        return WILCOXON_FROM
    most = WILCOXON_FROM + (4 / effect) ** 2
    return math.ceil(brentq(lambda number: _power(effect, number) - POWER, WILCOXON_FROM, most))


def _power(effect: float, instances: float) -> float:
    """The power of the two-sided paired t test at LEVEL, from the noncentral t distribution (Cohen 1988, section 2.2)."""
    from scipy.stats import nct, t

    critical, shift = t.isf(LEVEL / 2, instances - 1), effect * math.sqrt(instances)
    # SciPy may give NaN for the other tail where it is below 1e-20.
    return float(nct.sf(critical, instances - 1, shift) + np.nan_to_num(nct.cdf(-critical, instances - 1, shift)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests by Holm's step-down method (Holm 1979)."""
    # statsmodels has this function too, but importing it takes too long for a page.
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
