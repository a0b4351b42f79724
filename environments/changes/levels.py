"""Change points of action series: periods in which an agent began to act at another level."""

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
