"""Changes of spread: periods from which an agent's actions vary more, or less, from one to the next."""

import math
import statistics
from collections.abc import Sequence

import numpy as np

from environments.changes.levels import MOST_CHANGES, PENALTY, SHORTEST, Change, best_ends

FACTOR = 3.0
"""Least ratio of the two spreads."""

ABRUPT = 0.75
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

    The moves' logarithms are split into segments as in `levels.change_point`, their noise being DEVIATION. The largest
    change counts if these means differ by at least FACTOR, and if it is abrupt: a spread that shrinks steadily has no
    period in which it fell. None without such a change.

    values, step: as in `levels.change_point`
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
    """Whether a jump beside a steady trend, by least squares, is ABRUPT of the difference of the two means."""
    times = np.arange(len(logs))
    regressors = np.column_stack([np.ones(len(logs)), times, times >= position])
    jump = float(np.linalg.lstsq(regressors, np.asarray(logs), rcond=None)[0][2])
    return jump / (statistics.fmean(logs[position:]) - statistics.fmean(logs[:position])) >= ABRUPT
