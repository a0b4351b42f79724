"""A comparison of two agents in stages that may stop after each stage. Pure functions over numbers.

The test of a stage is the paired sign-flip test of `stats.paired`. Its critical value comes from the joint distribution
of the statistics of all stages under sign flips, given the sizes of the differences (Mehta, Patel, Senchaudhuri and
Tsiatis 1994, Exact permutational group sequential tests, Biometrics 50). The spending function of Lan and DeMets (1983,
Biometrika 70), of O'Brien-Fleming type, determines how much of the 5 % error each stage may use.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, RESAMPLES, ROUNDING, SEED

EXACT_STAGES = 18
"""Maximum number of nonzero differences for which all sign flips are tried: at most 262,144 flips."""

FEWEST_STAGES, MOST_STAGES = 2, 6
FUTILE = 0.10
"""Conditional power below which a comparison stops as futile."""

FUTILE_FROM = 4
"""Minimum number of differences for conditional power. Fewer give no good estimate of their spread."""

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """The result of the test after a stage.

    n: instances so far; difference: their mean difference; None without instances
    p: two-sided sign-flip p of these instances alone; exact: whether all flips were tried
    boundary: the comparison stops at this stage if p is at most this value; 0 if it cannot stop here
    conditional_power: see `conditional_power`; None if no difference was planned or the spread is unknown
    """

    n: int
    difference: float | None
    p: float | None
    exact: bool
    boundary: float
    conditional_power: float | None = None

    @property
    def is_decided(self) -> bool:
        return self.p is not None and self.p <= self.boundary

    @property
    def is_futile(self) -> bool:
        return not self.is_decided and self.conditional_power is not None and self.conditional_power < FUTILE


def spent(sizes: Sequence[int], level: float = LEVEL) -> list[float]:
    """The cumulative error that may be used up to each stage; the last value is `level`.

    It is 2 - 2 Phi(z / sqrt(t)), with z the normal quantile of 1 - level / 2, and t the stage's size over the last size.

    sizes: number of instances at the end of each stage, ascending
    """
    normal = NormalDist()
    z = normal.inv_cdf(1 - level / 2)
    levels = [2 - 2 * normal.cdf(z / math.sqrt(size / sizes[-1])) for size in sizes]
    return [*levels[:-1], level]


def can_stop(n: int, level: float) -> bool:
    """Whether n instances can give a p of at most `level`. The smallest possible p is 2 / 2^n."""
    return n > 0 and 2.0 ** (1 - n) <= level


def sensible_sizes(seeds: int, cells: int = 1) -> list[int]:
    """Propose the sizes of three stages in seeds, such as [8, 10, 12] for 12 seeds; [] if no stage could stop.

    The first stage is the smallest that can stop.

    cells: number of instances for each seed
    """
    for first in range(1, seeds):
        if can_stop(first * cells, spent([first, seeds])[0]):
            middle = (first + seeds) // 2
            return [first, *([middle] if first < middle < seeds else []), seeds]
    return []


def look(
    differences: Sequence[float], counts: Sequence[int], levels: Sequence[float], *, planned: float = 0, total: int = 0
) -> Look:
    """The result of the test after the last stage played so far.

    differences: one for each instance so far, in the order of the stages; counts: cumulative number after each stage
    levels: the cumulative error that may be used up to each of these stages, see `spent`
    planned: the difference that the comparison should detect, 0 for none; total: planned number of instances
    """
    d = np.asarray(differences, dtype=np.float64)
    d = np.where(np.abs(d) < ROUNDING, 0.0, d)
    if not len(d):
        return Look(0, None, None, True, 0.0)
    other = np.flatnonzero(d)
    # Zeros do not change under flips, so they are removed, and the ends of stages count only nonzero differences.
    p, boundary, _ = _walk(d[other], [int(np.searchsorted(other, count)) for count in counts], levels)
    return Look(
        n=len(d),
        difference=math.fsum(d) / len(d),
        p=p,
        exact=len(other) <= EXACT_STAGES,
        boundary=boundary,
        conditional_power=conditional_power(d, total, planned) if planned else None,
    )


def rejected_flips(differences: Sequence[float], counts: Sequence[int], levels: Sequence[float]) -> Booleans:
    """For each sign flip, whether the procedure finds a significant difference at any stage.

    The mean of these values is the error of the whole procedure, given the absolute differences.
    """
    return _walk(np.asarray(differences, dtype=np.float64), counts, levels)[2]


def _walk(d: Floats, ends: Sequence[int], levels: Sequence[float]) -> tuple[float, float, Booleans]:
    """Return (p, boundary, rejected flips) at the last stage. The observed signs are the first flip.

    Each stage rejects the flips with the largest |sum| among those not rejected before, as many as its level allows.
    Which flips are rejected depends only on the absolute differences, not on their signs.
    """
    exact = len(d) <= EXACT_STAGES
    flips = 1 if exact else RESAMPLES + 1
    signs = np.ones((1, 0)) if exact else _random_signs(flips, len(d))
    sums, rejected = np.zeros(flips), np.zeros(flips, dtype=bool)
    p, boundary, begun = 1.0, 0.0, 0
    for end, level in zip(ends, levels, strict=True):
        for index in range(begun, end):
            if exact:
                sums = np.concatenate([sums + d[index], sums - d[index]])
                rejected = np.concatenate([rejected, rejected])
            else:
                sums = sums + signs[:, index] * d[index]
        begun = end
        # Round, so that sums that differ only by rounding errors are rejected together or not at all.
        statistic = np.round(np.abs(sums) / (np.abs(d[:end]).sum() or 1.0), 12)
        p = float((statistic >= statistic[0]).mean())
        critical = _critical(statistic[~rejected], math.floor(level * len(sums) + 1e-9) - int(rejected.sum()))
        boundary = float((statistic >= critical).mean())
        rejected = rejected | (statistic >= critical)
    return p, boundary, rejected


def _critical(statistic: Floats, room: int) -> float:
    """The smallest value such that at most `room` values are at least as large; infinite if there is none."""
    values, numbers = np.unique(statistic, return_counts=True)
    fitting = int(np.searchsorted(np.cumsum(numbers[::-1]), room, side="right"))
    return float(values[::-1][fitting - 1]) if fitting else math.inf


def _random_signs(flips: int, n: int) -> Floats:
    """Random signs, shape (flips, n). A difference has the same signs in every stage. The first flip is all 1.

    The flips include the observed signs, so the test keeps its level for any number of flips, not only in the limit.
    """
    columns = [np.random.default_rng([SEED, index]).integers(0, 2, flips) for index in range(n)]
    signs = 2.0 * np.column_stack(columns) - 1.0
    signs[0] = 1.0
    return np.asarray(signs, dtype=np.float64)


def conditional_power(differences: Sequence[float] | Floats, total: int, planned: float) -> float | None:
    """The probability of a significant result at the end if the mean difference is `planned` in the likelier direction.

    The sum of all `total` differences is assumed to be normal. Its mean is the sum so far plus the planned difference for
    each remaining instance. The standard deviation of a difference is estimated from those so far (Lan, Simon
    and Halperin 1982). None without a spread or remaining instances.
    """
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    spread = float(d.std(ddof=1)) if n >= FUTILE_FROM else 0.0
    if spread <= 1e-12 or total <= n:
        return None
    normal, ahead = NormalDist(), total - n
    needed = normal.inv_cdf(1 - LEVEL / 2) * spread * math.sqrt(total)
    error = spread * math.sqrt(ahead)
    return max(normal.cdf((sign * float(d.sum()) + ahead * abs(planned) - needed) / error) for sign in (1, -1))
