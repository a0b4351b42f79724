"""Paired statistics: is one agent better than another on the same instances? Pure functions over numbers.

Every function takes one difference for each instance: the second agent's score minus the first's.
SciPy and statsmodels are imported where they are used, because every process would wait for them.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL, POWER = 0.05, 0.8
"""Significance level of every test, and the power for which instances are planned."""

EXACT = 12
"""Up to this many differences other than zero, every flip of signs is tried: at most 4,096."""

FLIPS, RESAMPLES, SEED = 9_999, 9_999, 20_250_318
"""Random flips beyond EXACT, resamples of a bootstrap, and the seed of both."""

BCA_FROM = 5
"""From this many values on, an interval is bootstrapped; for fewer it rests on Student's t distribution."""

WILCOXON_FROM = 6
"""With fewer differences other than zero no outcome is significant at 5 %: with five the smallest p is 0.0625."""

Interval = tuple[float, float]


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
    d = np.where(np.abs(d) < 1e-12, 0.0, d)
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
    Zeros stay zero under every flip, so they are left out. 1 where every difference is zero.
    """
    from scipy import stats

    d = np.asarray(differences, dtype=np.float64)
    d = d[d != 0]
    if len(d) < 2:
        return 1.0
    resamples = 2 ** len(d) if len(d) <= EXACT else FLIPS
    test = stats.permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(SEED),
    )
    return float(test.pvalue)


def wilcoxon_p(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """Two-sided p of Wilcoxon's signed-rank test, zeros left out; None for too few differences.

    Exact for up to 50 differences of different sizes. With ties exact for up to 8, by the normal approximation for more.
    """
    from scipy import stats

    d = np.asarray(differences, dtype=np.float64)
    d = d[d != 0]
    if len(d) < WILCOXON_FROM:
        return None
    if len(np.unique(np.abs(d))) == len(d) <= 50:
        return float(stats.wilcoxon(d, method="exact").pvalue)
    if len(d) <= 8:
        return float(stats.wilcoxon(d, method=stats.PermutationMethod(n_resamples=2 ** len(d))).pvalue)
    return float(stats.wilcoxon(d, method="approx").pvalue)


def mean_interval(values: Sequence[float] | NDArray[np.float64]) -> Interval | None:
    """95 % interval of a mean: BCa bootstrap from BCA_FROM values on, Student's t below; None for fewer than two.

    Where all values are equal the interval is that value. Where BCa has no answer, because nearly all are equal, the
    interval is that of the bootstrap's percentiles.
    """
    from scipy import stats

    x = np.asarray(values, dtype=np.float64)
    if len(x) < 2:
        return None
    if np.ptp(x) <= 1e-12 * max(1.0, float(np.abs(x).max())):
        return float(x[0]), float(x[0])
    if len(x) < BCA_FROM:
        half = float(stats.t.ppf(1 - LEVEL / 2, len(x) - 1)) * float(x.std(ddof=1)) / math.sqrt(len(x))
        return float(x.mean()) - half, float(x.mean()) + half
    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = stats.bootstrap(
                (x,), np.mean, confidence_level=1 - LEVEL, method=method, n_resamples=RESAMPLES,
                rng=np.random.default_rng(SEED),
            ).confidence_interval  # fmt: skip
        if math.isfinite(found.low) and math.isfinite(found.high):
            break
    return float(found.low), float(found.high)


def power(differences: Sequence[float] | NDArray[np.float64]) -> tuple[float | None, int | None]:
    """(smallest mean difference that as many instances show, instances that show this mean difference), see Paired.

    Of a paired t test at LEVEL with POWER, from the standard deviation of the differences.
    """
    from statsmodels.stats.power import TTestPower

    d = np.asarray(differences, dtype=np.float64)
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    if spread <= 1e-12:
        return None, None
    test = TTestPower()
    detectable = spread * float(test.solve_power(nobs=len(d), alpha=LEVEL, power=POWER)) if len(d) > 2 else None
    effect = abs(float(d.mean())) / spread
    if effect < 1e-3:
        return detectable, None
    # The power of three instances with a large effect is near 1, where the search for a number finds none.
    if test.power(effect, 3, LEVEL) >= POWER:
        return detectable, 3
    number = float(test.solve_power(effect_size=effect, alpha=LEVEL, power=POWER))
    return detectable, math.ceil(number) if math.isfinite(number) else None


def holm(p_values: Sequence[float]) -> list[float]:
    """p values adjusted for their number by Holm's step-down method."""
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]] if p_values else []
