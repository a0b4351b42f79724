"""Crashes: short stretches of results far below those before and after, and stretches of losses."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

AROUND = 15
"""Periods on each side that say what an agent reaches otherwise. The median of both sides bears a stretch of as many."""

DEEP = 0.5
"""Least fall of a result, in shares of the best one."""

CLEAR = 2.5
"""Least fall as a multiple of how far the worst result on both sides is below their level."""

MOST_CRASHES = 3
"""With more stretches the results swing as a matter of course; only losses are told then."""

LOSS = -0.05
"""Results below it are losses; a price at the cost earns next to nothing and is no loss worth a sentence."""


@dataclass(frozen=True)
class Crash:
    """start, end: its positions, end excluded; lowest: the worst result; level: the lower one of both sides or None"""

    start: int
    end: int
    lowest: float
    level: float | None

    @property
    def depth(self) -> float:
        return (self.level or 0.0) - self.lowest


def crashes(values: Sequence[float], *, can_lose: bool) -> list[Crash]:
    """Stretches of losses, and stretches between better results that fell by DEEP and CLEAR; the deepest first.

    values: results in shares of the best one
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
