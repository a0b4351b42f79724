"""A comparison of two agents in stages: after each stage it may stop. Pure functions over numbers.

The test of a stage is the paired sign-flip test of `stats.paired`. Its critical value comes from the joint distribution
of the statistics of all stages under flips of signs, given the sizes of the differences (Mehta, Patel, Senchaudhuri and
Tsiatis 1994, Exact permutational group sequential tests, Biometrics 50). How much of the 5 % each stage may use is the
spending function of Lan and DeMets (1983, Biometrika 70), of O'Brien-Fleming type.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, RESAMPLES, ROUNDING, SEED

EXACT_STAGES = 18
"""Up to this many differences other than zero, every flip of signs is tried: at most 262,144."""

FEWEST_STAGES, MOST_STAGES = 2, 6
FUTILE = 0.10
"""Conditional power below which a comparison stops without a verdict."""

FUTILE_FROM = 4
"""Fewer differences say too little about their spread for conditional power."""

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """What the test says after a stage.

    n: instances so far; difference: their mean difference; None without instances
    p: two-sided sign-flip p of these instances alone; exact: whether every flip was tried
    boundary: the largest p that stops here; 0 where no outcome of this stage could
    conditional_power: see `conditional_power`, None where no difference was planned or the spread is not known
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
    """The error that may be used up to each stage: 2 - 2 Phi(z / sqrt(t)) with z the normal quantile of 1 - level / 2.

    sizes: instances at the end of each stage, ascending; t is their share of the last. The last value is `level`.
    """
    normal = NormalDist()
    z = normal.inv_cdf(1 - level / 2)
    levels = [2 - 2 * normal.cdf(z / math.sqrt(size / sizes[-1])) for size in sizes]
    return [*levels[:-1], level]


def can_stop(n: int, level: float) -> bool:
    """Whether n instances can give a p of at most `level`: the smallest is 2 / 2^n."""
    return n > 0 and 2.0 ** (1 - n) <= level


def sensible_sizes(seeds: int, cells: int = 1) -> list[int]:
    """Three stages, of which the first is the smallest that can stop: (8, 10, 12) for 12 seeds. [] where none can.

    cells: instances for each seed
    """
    for first in range(1, seeds):
        if can_stop(first * cells, spent([first, seeds])[0]):
            middle = (first + seeds) // 2
            return [first, *([middle] if first < middle < seeds else []), seeds]
    return []


def look(
    differences: Sequence[float], counts: Sequence[int], levels: Sequence[float], *, planned: float = 0, total: int = 0
) -> Look:
    """What the test says after the last of the stages played so far.

    differences: of all instances so far, those of the first stage first; counts: how many there were after each stage
    levels: the error that may be used up to each of these stages, see `spent`
    planned: the difference that the comparison shall find, 0 for none; total: instances so far and to come
    """
    d = np.asarray(differences, dtype=np.float64)
    d = np.where(np.abs(d) < ROUNDING, 0.0, d)
    if not len(d):
        return Look(0, None, None, True, 0.0)
    other = np.flatnonzero(d)
    # A zero stays zero under every flip, so a stage ends after its differences other than zero.
    ends = [int(np.searchsorted(other, count)) for count in counts]
    p, boundary, _ = _walk(d[other], ends, levels)
    return Look(
        n=len(d),
        difference=math.fsum(d) / len(d),
        p=p,
        exact=len(other) <= EXACT_STAGES,
        boundary=boundary,
        conditional_power=conditional_power(d, total, planned) if planned else None,
    )


def rejected_flips(differences: Sequence[float], counts: Sequence[int], levels: Sequence[float]) -> Booleans:
    """For each flip of the signs, whether the procedure would have stopped for a difference in one of the stages.

    Its mean is the error of the whole procedure, given the sizes of these differences.
    """
    return _walk(np.asarray(differences, dtype=np.float64), counts, levels)[2]


def _walk(d: Floats, ends: Sequence[int], levels: Sequence[float]) -> tuple[float, float, Booleans]:
    """(p, boundary, rejected flips) at the last stage. The observed signs are the first flip.

    A stage rejects the flips with the largest |sum| among those that no stage before rejected, as many as its level
    leaves. Which flips these are depends on the sizes of the differences and not on their signs.
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
        # Sums that are equal but for rounding errors are rejected together or not at all.
        statistic = np.round(np.abs(sums) / (np.abs(d[:end]).sum() or 1.0), 12)
        p = float((statistic >= statistic[0]).mean())
        room = math.floor(level * len(sums) + 1e-9) - int(rejected.sum())
        critical = _critical(statistic[~rejected], room)
        boundary = float((statistic >= critical).mean())
        rejected = rejected | (statistic >= critical)
    return p, boundary, rejected


def _critical(statistic: Floats, room: int) -> float:
    """The smallest value that at most `room` of the values reach; infinite if there is none."""
    values, numbers = np.unique(statistic, return_counts=True)
    reached = np.cumsum(numbers[::-1])
    fitting = int(np.searchsorted(reached, room, side="right"))
    return float(values[::-1][fitting - 1]) if fitting else math.inf


def _random_signs(flips: int, n: int) -> Floats:
    """Random signs by flip and difference. A difference has the same signs in every stage; the first flip has all 1.

    With the observed signs among the flips the error holds for any number of flips, not only in the limit.
    """
    columns = [np.random.default_rng([SEED, index]).integers(0, 2, flips) for index in range(n)]
    signs = 2.0 * np.column_stack(columns) - 1.0
    signs[0] = 1.0
    return np.asarray(signs, dtype=np.float64)


def conditional_power(differences: Sequence[float] | Floats, total: int, planned: float) -> float | None:
    """How probable a significant end is if the agents truly differ by `planned`, in the likelier direction.

    The sum of all `total` differences is taken as normal: what was seen, plus the planned difference for each instance
    to come, with the standard deviation seen (Lan, Simon and Halperin 1982). None without a spread or instances to come.
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
