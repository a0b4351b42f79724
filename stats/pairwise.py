"""Comparisons of all pairs of agents: signed-rank tests, their consistency over difficulties, Welch's test.

Pure functions over numbers. SciPy is imported inside functions, because it would slow down the start of every process.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from stats.means import KEPT, LEVEL, ROUNDING, packed
from stats.paired import holm, rankable, wilcoxon_p

STARS = ((0.01, "***"), (0.05, "**"), (0.1, "*"))
FEWEST = 2


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's signed-rank test of two agents over the instances that both played.

    n: instances; zeros: number of instances with equal scores
    difference: the mean difference; None without instances
    effect: matched-pairs rank-biserial correlation (Kerby 2014): (P - N) / (P + N) with P and N the rank sums of the
        positive and the negative differences; 1 if all differences are positive, None if all are zero
    p: two-sided, as `stats.paired.wilcoxon_p`; None for too few nonzero differences
    adjusted_p: p adjusted by Holm's method over the tests made together
    """

    n: int
    zeros: int
    difference: float | None
    effect: float | None
    p: float | None
    adjusted_p: float | None = None

    @property
    def stars(self) -> str:
        """*** for p < 0.01, ** for p < 0.05, * for p < 0.1, as in the paper."""
        return "" if self.p is None else next((stars for level, stars in STARS if self.p < level), "")

    @property
    def direction(self) -> int:
        """The sign of the effect, 1 or -1, if the test is significant at LEVEL; else 0."""
        if self.p is None or self.p >= LEVEL or not self.effect:
            return 0
        return 1 if self.effect > 0 else -1

    def turned(self) -> "SignedRank":
        """The same test with the two agents swapped."""
        flipped = [None if value is None else -value + 0.0 for value in (self.difference, self.effect)]
        return replace(self, difference=flipped[0], effect=flipped[1])


def signed_ranks(differences: Sequence[Sequence[float]]) -> list[SignedRank]:
    """Make one test for each pair of agents, and adjust all p values together.

    differences: for each pair of agents, one difference for each instance
    """
    tests = [_signed_rank(packed(of_pair)) for of_pair in differences]
    adjusted = iter(holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else replace(test, adjusted_p=next(adjusted)) for test in tests]


# Cached, because a page and its figures need the same tests, and SciPy takes a millisecond or two for each.
@lru_cache(maxsize=KEPT)
def _signed_rank(differences: bytes) -> SignedRank:
    from scipy import stats

    d = np.frombuffer(differences)
    d = np.where(np.abs(d) < ROUNDING, 0.0, d)
    nonzero = rankable(d)
    effect = None
    if len(nonzero):
        ranks = stats.rankdata(np.abs(nonzero))
        effect = float((ranks * np.sign(nonzero)).sum() / ranks.sum())
    mean = float(d.mean()) if len(d) else None
    return SignedRank(len(d), len(d) - len(nonzero), mean, effect, wilcoxon_p(d))


def consistency(tests: Sequence[SignedRank]) -> tuple[int, int]:
    """Return (X, Y): Y tests are significant at LEVEL; X of them have the more frequent direction (paper, figure 5)."""
    directions = [test.direction for test in tests if test.direction]
    return max(directions.count(1), directions.count(-1)), len(directions)


@dataclass(frozen=True)
class Welch:
    """Welch's t test of two independent groups.

    difference: the second mean minus the first
    degrees: degrees of freedom, by Welch and Satterthwaite
    p: two-sided; adjusted_p: p adjusted by Holm's method over the tests made together
    """

    first_mean: float
    second_mean: float
    first_n: int
    second_n: int
    t: float
    degrees: float
    p: float
    adjusted_p: float | None = None

    @property
    def difference(self) -> float:
        return self.second_mean - self.first_mean


def welch_tests(groups: Sequence[tuple[Sequence[float], Sequence[float]]], unit: str) -> list[Welch | str]:
    """Make one test for each pair of groups, and adjust all p values together. See `welch`."""
    tests = [welch(first, second, unit) for first, second in groups]
    adjusted = iter(holm([test.p for test in tests if isinstance(test, Welch)]))
    return [replace(test, adjusted_p=next(adjusted)) if isinstance(test, Welch) else test for test in tests]


def welch(first: Sequence[float], second: Sequence[float], unit: str) -> Welch | str:
    """Make the test (scipy.stats.ttest_ind, equal_var=False). Returns a sentence with the reason if there is none.

    unit: plural noun for the things that have one value each, such as 'instances'
    """
    if min(len(first), len(second)) < FEWEST:
        return f"The test needs at least {FEWEST} {unit} in each group; there are {len(first)} and {len(second)}."
    if max(np.ptp(first), np.ptp(second)) < ROUNDING:
        return "The values do not vary within either group, so there is nothing to test."
    return _welch(packed(first), packed(second))


@lru_cache(maxsize=KEPT)
def _welch(first_values: bytes, second_values: bytes) -> Welch:
    from scipy import stats

    first, second = np.frombuffer(first_values), np.frombuffer(second_values)
    with warnings.catch_warnings():
        # SciPy warns if one group is constant, although the variance of the other group is enough.
        warnings.simplefilter("ignore", RuntimeWarning)
        test = stats.ttest_ind(second, first, equal_var=False)
    means = float(np.mean(first)), float(np.mean(second))
    return Welch(*means, len(first), len(second), float(test.statistic), float(test.df), float(test.pvalue))
