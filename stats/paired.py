"""Paired statistics: is one agent better than another on the same instances? Pure functions over numbers.

Every function takes one difference for each instance: the second agent's score minus the first's.
SciPy and statsmodels are imported where they are used, because every process would wait for them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stats.intervals import LEVEL, MANY, RESAMPLES, SEED, Interval, mean_interval

POWER = 0.8
"""The power for which instances are planned."""

EXACT = 12
"""Up to this many differences other than zero, every flip of signs is tried: at most 4,096."""

ROUNDING = 1e-12
"""Differences of scores below this are rounding errors."""

WILCOXON_FROM = 6
"""With fewer differences other than zero no outcome is significant at 5 %: with five the smallest p is 0.0625."""


@dataclass(frozen=True)
class Paired:
    """The comparison of two agents.

    n: instances that both played; zeros: how many of them ended alike
    difference: the mean difference, and its 95 % interval; None without instances, the interval for fewer than two
    p: two-sided probability of the sign-flip test; exact: whether every flip was tried
    wilcoxon_p: of the signed-rank test without zeros; None for fewer than WILCOXON_FROM differences other than zero
    detectable: the smallest mean difference that n instances of this spread show with 80 % power
    needed: how many instances would show the mean difference with 80 % power; None where it is zero or without spread
    """

    n: int
    zeros: int = 0
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    exact: bool = True
    wilcoxon_p: float | None = None
    detectable: float | None = None
    needed: int | None = None


def paired(differences: Sequence[float]) -> Paired:
    """All statistics of a comparison. Differences smaller than rounding errors count as zero."""
    d = np.asarray(differences, dtype=np.float64)
    d = np.where(np.abs(d) < ROUNDING, 0.0, d)
    n, zeros = len(d), int((d == 0).sum())
    if not n:
        return Paired(0)
    detectable, needed = power(d)
    return Paired(
        n=n,
        zeros=zeros,
        difference=math.fsum(d) / n,
        interval=mean_interval(d),
        p=sign_flip_p(d),
        exact=n - zeros <= EXACT,
        wilcoxon_p=wilcoxon_p(d),
        detectable=detectable,
        needed=needed,
    )


def sign_flip_p(differences: Sequence[float] | NDArray[np.float64]) -> float:
    """Two-sided p of the paired permutation test: how often random signs give a mean as far from zero.

    Under the null hypothesis the difference of an instance is as likely to be d as -d (Fisher's randomization test).
    Zeros stay zero under every flip, so they are left out. 1 where every difference is zero. Every flip is tried up to
    EXACT differences, RESAMPLES random ones up to MANY, and for more the p of `t_p` is close enough.
    """
    d = np.asarray(differences, dtype=np.float64)
    d = d[d != 0]
    n = len(d)
    if n < 2:
        return 1.0
    if n > MANY:
        return float(t_p(d))
    # Sums of the same numbers in another order differ by rounding errors.
    least = abs(d.sum()) - 1e-9 * np.abs(d).sum()
    hits = int((np.abs(_flips(n) @ d) >= least).sum())
    # The observed signs are one of all flips; random flips do not hold them, so they are added.
    return hits / 2**n if n <= EXACT else (hits + 1) / (RESAMPLES + 1)


@lru_cache(maxsize=8)
def _flips(n: int) -> NDArray[np.int8]:
    """Signs of each flip: all of them up to EXACT, else RESAMPLES random ones. Shape (flips, n), up to a megabyte."""
    if n <= EXACT:
        return np.array(list(product((-1, 1), repeat=n)), dtype=np.int8)
    return np.random.default_rng(SEED).choice(np.array([-1, 1], dtype=np.int8), (RESAMPLES, n))


def t_p(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two-sided p of the paired t test for each row of at least two differences; 0 where they are equal and not zero.

    differences: shape (..., instances), NaN where one of the two has no score
    """
    from scipy.special import stdtr

    known = ~np.isnan(differences)
    n = known.sum(axis=-1)
    means = np.sum(differences, axis=-1, where=known) / n
    squares = np.sum((differences - means[..., None]) ** 2, axis=-1, where=known)
    errors = np.sqrt(squares / (n - 1) / n)
    t = np.divide(-np.abs(means), errors, out=np.full(np.shape(n), -np.inf), where=errors > 1e-12 * np.abs(means))
    return np.asarray(2 * stdtr(n - 1, t))


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


def power(differences: Sequence[float] | NDArray[np.float64]) -> tuple[float | None, int | None]:
    """(smallest mean difference that as many instances show, instances that show this mean difference), see Paired.

    Of a paired t test at LEVEL with POWER, from the standard deviation of the differences.
    """
    d = np.asarray(differences, dtype=np.float64)
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    if spread <= 1e-12:
        return None, None
    return spread * _effect_of(len(d)) if len(d) > 2 else None, instances_for(abs(float(d.mean())) / spread)


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
