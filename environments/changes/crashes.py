"""Crashes: short stretches of results far below those before and after, and stretches of losses."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

AROUND = 15
"""Periods on each side that show the agent's usual result. Their median withstands a crash of up to this many periods."""

DEEP = 0.5
"""Minimum fall of a result in a crash, as a share of the best result."""

CLEAR = 2.5
"""Minimum fall in a crash, as a multiple of the usual dip. The usual dip is the difference between
the level and the worst result in the AROUND periods on each side of the crash."""

MOST_CRASHES = 3
"""Maximum number of crashes to report. With more of them large swings are normal in the run; then only losses count."""

LOSS = -0.05
"""Results below this value are losses. It is below 0 because a price close to the cost is not worth reporting."""


@dataclass(frozen=True)
class Crash:
    """A stretch of bad results.

    start, end: its positions, end excluded
    lowest: the worst result in it
    level: the median result before or after it, whichever is lower; None if unknown
    """

    start: int
    end: int
    lowest: float
    level: float | None

    @property
    def depth(self) -> float:
        return (self.level or 0.0) - self.lowest


def crashes(values: Sequence[float], *, can_lose: bool) -> list[Crash]:
    """Find stretches of losses, and stretches in which results fell by at least DEEP and CLEAR; the deepest first.

    values: results as shares of the best result
    can_lose: whether a value below 0 is a loss
    """
    positions = range(len(values))
    losses = {position for position in positions if can_lose and values[position] < LOSS}
    low = losses | {position for position in positions if values[position] <= _level_around(values, position) - DEEP}
    lost, fell = [], []
    for start, end in _stretches(low):
        sides = [
            [values[position] for position in side if position in positions and position not in low]
            for side in (range(start - AROUND, start), range(end, end + AROUND))
        ]
        level = min(map(statistics.median, filter(None, sides)), default=None)
        crash = Crash(start, end, min(values[start:end]), level)
        if losses & set(range(start, end)):
            lost.append(crash)
        elif level is not None and sides[0] and crash.depth >= max(DEEP, CLEAR * (level - min(sides[0] + sides[1]))):
            fell.append(crash)
    stretches = sum(1 for _ in _stretches(low - losses))
    return sorted(lost + (fell if stretches <= MOST_CRASHES else []), key=lambda crash: -crash.depth)


def _level_around(values: Sequence[float], position: int) -> float:
    return statistics.median(values[max(0, position - AROUND) : position + AROUND + 1])


def _stretches(positions: set[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of consecutive positions, end excluded."""
    for _, run in groupby(enumerate(sorted(positions)), key=lambda item: item[1] - item[0]):
        consecutive = [position for _, position in run]
        yield consecutive[0], consecutive[-1] + 1
