"""Paired statistics: is one agent better than another on the same instances? Pure functions over numbers.

Every function takes one difference for each instance: the second agent's score minus the first's.
SciPy and statsmodels are imported inside functions, because they would slow down the start of every process.
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


# Cached, because the root search of statsmodels takes dozens of milliseconds.
@lru_cache(maxsize=4096)
def effect_for(instances: int) -> float:
    """The mean in standard deviations that a paired t test at LEVEL on so many instances detects with POWER."""
    from statsmodels.stats.power import TTestPower

    return float(TTestPower().solve_power(nobs=instances, alpha=LEVEL, power=POWER))


@lru_cache(maxsize=4096)
def instances_for(effect: float) -> int | None:
    """Number of instances on which a paired t test at LEVEL detects a mean of `effect` standard deviations with POWER.

    At least WILCOXON_FROM, because the sign-flip test cannot be significant on fewer. None for an effect below 0.001.
    """
    from statsmodels.stats.power import TTestPower

    if effect < 1e-3:
        return None
    test = TTestPower()
    # For a large effect the power is near 1, where statsmodels may return NaN or fail to find the number.
    if not test.power(effect, WILCOXON_FROM, LEVEL) < POWER:
        return WILCOXON_FROM
    number = float(test.solve_power(effect_size=effect, alpha=LEVEL, power=POWER))
    return math.ceil(number) if math.isfinite(number) else None


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests by Holm's step-down method (Holm 1979)."""
    # statsmodels has this function too, but importing it takes too long for a page.
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
