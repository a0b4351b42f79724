"""Change points of action series: periods from which the level of an agent's actions differs, or their spread."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHORTEST = 10
"""Minimum length of a segment in periods. A shorter one may be just a few unusual actions."""

PENALTY = 3.0
"""Penalty for each change, in units of log n. The Bayesian information criterion charges 2, for level and position. The
third unit keeps noise with heavier tails than the normal distribution from being split.
"""

MOST_CHANGES = 2
"""Maximum number of changes. A series with more of them wanders or oscillates, so no single change is meaningful."""

NEIGHBOURS = 5
"""Periods compared on each side of a change. Their medians must differ, so that a steady drift is not a change."""

ABRUPT = 0.75
"""Minimum difference between the medians of the NEIGHBOURS periods on both sides, as a share of the
difference of level."""

CLEAR = 3.0
"""Minimum difference of level, in standard deviations within the two segments.

The constants were tested on 600 simulated series of 100 periods (benchmarks/findings.py). A change was found in under
1 % of the series without one: noise, drifts, oscillations, autoregressive series and random walks. It was found in 90 %
to 99 % of the series with a change of three to six standard deviations.
"""


@dataclass(frozen=True)
class Change:
    """A change of level or spread.

    position: first position of the new segment
    before, after: medians of the segments before and after the change; for a change of spread, the
        geometric means of the moves in them
    """

    position: int
    before: float
    after: float


EARLY_CLEAR = 5.0
"""The value of CLEAR for a change within the first SHORTEST periods, where the noise is estimated from few values."""

EARLY_STEPS = 2.0
"""Minimum difference of level within the first SHORTEST periods, in steps. Most agents correct their first guess."""


def change_point(values: Sequence[float], step: float) -> Change | None:
    """Find the largest abrupt and lasting change of level; None if the series is constant, noisy, drifting or wandering.

    The segments minimise the sum of squared deviations from their means, in units of the noise variance, plus
    PENALTY * log n for each change. The noise is the median absolute first difference divided by 0.954, its expectation
    for normal noise of variance 1. It is at least step / 4.

    values: the series, finite numbers
    step: the smallest meaningful difference of level, in the units of the series
    """
    if len(values) < 2 * SHORTEST:
        return None
    changes = (_confirmed(values, *jump, step) for jump in _jumps(values, noise_of(values, step)))
    return max(filter(None, changes), key=lambda change: abs(change.after - change.before), default=None)


def _jumps(values: Sequence[float], noise: float) -> list[tuple[int, int, int]]:
    """(start, position, end) of the two segments around each change; none if there are more than MOST_CHANGES."""
    ends = best_ends(values, noise**2 * PENALTY * math.log(len(values)))
    return [] if len(ends) - 2 > MOST_CHANGES else list(zip(ends, ends[1:], ends[2:], strict=False))


def noise_of(values: Sequence[float], step: float) -> float:
    """Estimate the standard deviation of the noise around a level that may change.

    The formula is in `change_point`.

    values: at least two
    """
    return max(statistics.median(abs(b - a) for a, b in zip(values, values[1:], strict=False)) / 0.954, step / 4)


def early_change(values: Sequence[float], step: float) -> Change | None:
    """Find the largest change of level at positions 1 to SHORTEST - 1, which are too early for `change_point`.

    Return None if there is no change. The new level is the median of the next SHORTEST periods, so that a short swing is
    not a change. The medians of both segments must differ by at least EARLY_CLEAR times the larger of their standard
    deviations. The step at the position must be at least ABRUPT times the difference of the medians.
    """
    changes = []
    for position in range(1, min(SHORTEST, len(values) - NEIGHBOURS + 1)):
        before, after = values[:position], values[position : position + SHORTEST]
        change = Change(position, statistics.median(before), statistics.median(after))
        size = change.after - change.before
        spread = max(statistics.pstdev(before), statistics.pstdev(after))
        near = (values[position] - values[position - 1]) * math.copysign(1.0, size)
        if abs(size) >= max(EARLY_STEPS * step, EARLY_CLEAR * spread) and near >= ABRUPT * abs(size):
            changes.append(change)
    return max(changes, key=lambda change: abs(change.after - change.before), default=None)


def best_ends(values: Sequence[float], penalty: float) -> list[int]:
    """Split a series into the segments of lowest cost; return 0 and the end of each segment.

    The method is optimal partitioning (Jackson et al. 2005). The minimum length is SHORTEST.

    penalty: the cost of each change, in squared units of the values
    """
    n, centred = len(values), np.asarray(values, dtype=np.float64) - statistics.fmean(values)
    sums, squares = (np.concatenate([[0.0], np.cumsum(terms)]) for terms in (centred, centred**2))
    least, before = np.full(n + 1, np.inf), [0] * (n + 1)
    least[0] = -penalty
    for end in range(SHORTEST, n + 1):
        starts = np.arange(end - SHORTEST + 1)
        deviations = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        costs = least[starts] + penalty + deviations
        before[end] = int(costs.argmin())
        least[end] = costs[before[end]]
    ends = [n]
    while ends[-1]:
        ends.append(before[ends[-1]])
    return ends[::-1]


def _confirmed(values: Sequence[float], start: int, position: int, end: int, step: float) -> Change | None:
    before, after = values[start:position], values[position:end]
    change = Change(position, statistics.median(before), statistics.median(after))
    size = abs(change.after - change.before)
    spread = math.sqrt((statistics.pvariance(before) + statistics.pvariance(after)) / 2)
    near = statistics.median(after[:NEIGHBOURS]) - statistics.median(before[-NEIGHBOURS:])
    is_abrupt = abs(near) >= ABRUPT * size and near * (change.after - change.before) > 0
    return change if size >= step and size >= CLEAR * spread and is_abrupt else None


FACTOR = 3.0
"""Minimum ratio of the two spreads."""

ABRUPT_SPREAD = 0.75
"""Minimum share of the difference of the mean logarithms that is due to a jump, not to a trend."""

STILL = 1 / 8
"""Smallest change that counts, as a share of a step."""

DEVIATION = math.pi / math.sqrt(8)
"""Standard deviation of the logarithm of the absolute value of a normal variable, whatever its variance."""


def log_moves(values: Sequence[float], step: float) -> list[float]:
    """The logarithm of the absolute change from each period to the next. Changes count as at least step * STILL."""
    return [math.log(max(abs(b - a), step * STILL)) for a, b in zip(values, values[1:], strict=False)]


def spread_change(values: Sequence[float], step: float) -> Change | None:
    """Find the largest change in how much values vary from one to the next; None without one.

    The change has the geometric means of the moves before and after it. The logarithms of the moves are split into
    segments as in `change_point`, with DEVIATION as their noise. The two means must differ at least by the factor FACTOR.
    The change must be abrupt: a spread that shrinks steadily does not change in any one period.

    values, step: as in `change_point`
    """
    logs = log_moves(values, step)
    if len(logs) < 2 * SHORTEST:
        return None
    changes = [
        _spreads(logs, start, position, end)
        for start, position, end in _jumps(logs, DEVIATION)
        if _is_abrupt(logs[start:end], position - start)
    ]
    clear = [change for change in changes if _factor(change) >= FACTOR]
    return max(clear, key=_factor, default=None)


def _spreads(logs: Sequence[float], start: int, position: int, end: int) -> Change:
    """Return a change of spread. The move at i leads to value i + 1, so the first value after it is at position + 1."""
    before, after = (math.exp(statistics.fmean(part)) for part in (logs[start:position], logs[position:end]))
    return Change(position + 1, before, after)


def _factor(change: Change) -> float:
    return max(change.after / change.before, change.before / change.after)


def _is_abrupt(logs: Sequence[float], position: int) -> bool:
    """Whether the jump is at least ABRUPT_SPREAD of the difference of the two means.

    A least-squares regression separates the jump from a steady trend.
    """
    times = np.arange(len(logs))
    regressors = np.column_stack([np.ones(len(logs)), times, times >= position])
    jump = float(np.linalg.lstsq(regressors, np.asarray(logs), rcond=None)[0][2])
    return jump / (statistics.fmean(logs[position:]) - statistics.fmean(logs[:position])) >= ABRUPT_SPREAD
