"""Paired statistics: is one agent better than another on the same instances? Pure functions over numbers.

Every function takes one difference for each instance: the second agent's score minus the first's.
SciPy and statsmodels are imported where they are used, because every process would wait for them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stats.means import EXACT, LEVEL, ROUNDING, Interval, flip_interval, sign_flip_p

POWER = 0.8
"""The power for which instances are planned."""

WILCOXON_FROM = 6
"""With fewer differences other than zero no outcome is significant at 5 %: with five the smallest p is 0.0625."""


@dataclass(frozen=True)
class Paired:
    """The comparison of two agents.

    n: instances that both played; zeros: how many of them ended alike
    difference: the mean difference; None without instances
    interval: its 95 % interval, see `flip_interval`; None for fewer than INTERVAL_FROM instances
    p: two-sided probability of the sign-flip test; exact: whether every flip was tried
    wilcoxon_p: of the signed-rank test without zeros; None for fewer than WILCOXON_FROM differences other than zero
    detectable: the smallest mean difference that n instances of this spread show with 80 % power
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
    """All statistics of a comparison. Differences smaller than rounding errors count as zero."""
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

    Exact for up to 50 differences of different sizes. With ties exact for up to 8, by the normal approximation for more.
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
    """The differences without zeros as shares of the largest, rounded so that sizes equal but for rounding errors tie."""
    d = np.asarray(differences, dtype=np.float64)
    d = np.round(d / np.max(np.abs(d), initial=ROUNDING), 12)
    return np.asarray(d[d != 0])


def detectable(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """The mean difference that a paired t test at LEVEL finds with POWER on as many instances of this spread.

    None for fewer than three differences, and where they do not vary.
    """
    d = np.asarray(differences, dtype=np.float64)
    spread = float(d.std(ddof=1)) if len(d) > 2 else 0.0
    return spread * _effect_of(len(d)) if spread > 1e-12 else None


# The search for a root takes statsmodels dozens of milliseconds.
@lru_cache(maxsize=4096)
def _effect_of(instances: int) -> float:
    from statsmodels.stats.power import TTestPower

    return float(TTestPower().solve_power(nobs=instances, alpha=LEVEL, power=POWER))


@lru_cache(maxsize=4096)
def instances_for(effect: float) -> int | None:
    """The instances on which a paired t test at LEVEL finds a mean of `effect` standard deviations with POWER.

    At least WILCOXON_FROM, since the sign-flip test finds nothing on fewer. None for an effect below 0.001.
    """
    from statsmodels.stats.power import TTestPower

    if effect < 1e-3:
        return None
    test = TTestPower()
    # The power of a large effect is near 1, where statsmodels sometimes answers NaN and its search finds no number.
    if not test.power(effect, WILCOXON_FROM, LEVEL) < POWER:
        return WILCOXON_FROM
    number = float(test.solve_power(effect_size=effect, alpha=LEVEL, power=POWER))
    return math.ceil(number) if math.isfinite(number) else None


def holm(p_values: Sequence[float]) -> list[float]:
    """p values adjusted for their number by Holm's step-down method (Holm 1979)."""
    # statsmodels has it too, but its import takes longer than a page may.
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
