"""Change points of action series: periods in which an agent began to act at another level, or to vary more or less."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHORTEST = 10
"""Shortest segment in periods. Fewer cannot be told from a few unusual actions."""

PENALTY = 3.0
"""Penalty of a change, in units of log n. The Bayesian information criterion charges 2 for its level and position; the
third keeps noise with heavier tails than the normal distribution from being split.
"""

MOST_CHANGES = 2
"""With more changes there is no course that the agent keeps to: the series wanders or oscillates."""

NEIGHBOURS = 5
"""Periods on each side of a change whose medians must differ, so that a steady drift is not called a change."""

ABRUPT = 0.75
"""Least share of the difference of level that lies between these neighbours."""

CLEAR = 3.0
"""Least difference of level, in standard deviations within the two segments.

With these constants a change is found in under 1 % of 600 simulated series of 100 periods without one (noise, drifts,
oscillations, autoregressive series, random walks: benchmarks/findings.py), and in 90 % to 99 % of those with a change of
three to six standard deviations.
"""


@dataclass(frozen=True)
class Change:
    """position: first position of the new segment; before, after: the medians of the segments on both sides"""

    position: int
    before: float
    after: float


EARLY_CLEAR = 5.0
"""The same for a change within the first SHORTEST periods, where few values show how much they vary."""

EARLY_STEPS = 2.0
"""Least difference of level within the first SHORTEST periods, in steps: a first guess is corrected in most runs."""


def change_point(values: Sequence[float], step: float) -> Change | None:
    """The largest abrupt and lasting change of level in a series; None for a constant, noisy, drifting or wandering one.

    The segments minimise the sum of squared deviations from their means, plus PENALTY * log n for each change, in units of
    the noise variance. The noise is the median absolute first difference over 0.954, its expectation for normal noise of
    variance 1, and at least step / 4.

    values: the series, finite numbers
    step: the smallest difference of level that means a change in the units of the series
    """
    n = len(values)
    if n < 2 * SHORTEST:
        return None
    noise = noise_of(values, step)
    ends = best_ends(values, noise**2 * PENALTY * math.log(n))
    if len(ends) - 2 > MOST_CHANGES:
        return None
    positions = zip(ends, ends[1:], ends[2:], strict=False)
    changes = [
        change for start, position, end in positions if (change := _confirmed(values, start, position, end, step))
    ]
    return max(changes, key=lambda change: abs(change.after - change.before), default=None)


def noise_of(values: Sequence[float], step: float) -> float:
    """The standard deviation of the noise around a level that may change, see `change_point`. At least two values."""
    return max(statistics.median(abs(b - a) for a, b in zip(values, values[1:], strict=False)) / 0.954, step / 4)


def early_change(values: Sequence[float], step: float) -> Change | None:
    """The largest change of level at positions 1 to SHORTEST - 1, before `change_point` can find one; None without one.

    The new level is that of the next SHORTEST periods, so that a swing is none. The values before and at the position must
    differ by at least ABRUPT of the difference of the medians, and this by at least EARLY_CLEAR standard deviations within
    the segment that varies more.
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
    """0 and the ends of the segments of least cost: optimal partitioning (Jackson et al. 2005), which PELT makes faster.

    penalty: of each change, in squared units of the values
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
"""Least ratio of the two spreads."""

ABRUPT_SPREAD = 0.75
"""Least share of the difference of the mean logarithms that is a jump and no trend."""

STILL = 1 / 8
"""Share of a step below which a change is none."""

DEVIATION = math.pi / math.sqrt(8)
"""Standard deviation of the logarithm of the absolute value of a normal variable, whatever its variance."""


def log_moves(values: Sequence[float], step: float) -> list[float]:
    """The logarithm of the absolute change from each period to the next, of at least step * STILL."""
    return [math.log(max(abs(b - a), step * STILL)) for a, b in zip(values, values[1:], strict=False)]


def spread_change(values: Sequence[float], step: float) -> Change | None:
    """The position from which values vary more or less from one to the next, with the geometric means of the moves.

    The moves' logarithms are split into segments as in `change_point`, their noise being DEVIATION. The largest
    change counts if these means differ by at least FACTOR, and if it is abrupt: a spread that shrinks steadily has no
    period in which it fell. None without such a change.

    values, step: as in `change_point`
    """
    logs = log_moves(values, step)
    if len(logs) < 2 * SHORTEST:
        return None
    ends = best_ends(logs, DEVIATION**2 * PENALTY * math.log(len(logs)))
    if len(ends) - 2 > MOST_CHANGES:
        return None
    positions = zip(ends, ends[1:], ends[2:], strict=False)
    changes = [
        _spreads(logs, start, position, end)
        for start, position, end in positions
        if _is_abrupt(logs[start:end], position - start)
    ]
    clear = [change for change in changes if _factor(change) >= FACTOR]
    return max(clear, key=_factor, default=None)


def _spreads(logs: Sequence[float], start: int, position: int, end: int) -> Change:
    """The move at position i leads to value i + 1, so the first value that varies otherwise is at position + 1."""
    before, after = (math.exp(statistics.fmean(part)) for part in (logs[start:position], logs[position:end]))
    return Change(position + 1, before, after)


def _factor(change: Change) -> float:
    return max(change.after / change.before, change.before / change.after)


def _is_abrupt(logs: Sequence[float], position: int) -> bool:
    """Whether a jump beside a steady trend, by least squares, is ABRUPT_SPREAD of the difference of the two means."""
    times = np.arange(len(logs))
    regressors = np.column_stack([np.ones(len(logs)), times, times >= position])
    jump = float(np.linalg.lstsq(regressors, np.asarray(logs), rcond=None)[0][2])
    return jump / (statistics.fmean(logs[position:]) - statistics.fmean(logs[:position])) >= ABRUPT_SPREAD
