"""Rows of dots, where dots that would overlap are moved apart vertically."""

from collections.abc import Sequence

BIN = 1.5
"""Dots within this many points of each other are moved apart."""
STEP, FARTHEST = 0.14, 0.4


def offsets(scores: Sequence[float]) -> list[float]:
    """Return the vertical offset of each score from its row, in heights of a row.

    scores: in ascending order
    The offsets within a crowd are 0, down, up, farther down, and so on.
    """
    crowds: list[list[float]] = []
    for score in scores:
        if not crowds or score - crowds[-1][0] > BIN:
            crowds.append([])
        crowds[-1].append(score)
    result: list[float] = []
    for crowd in crowds:
        step = min(STEP, FARTHEST / max(1, len(crowd) // 2))
        result += [(1 if index % 2 else -1) * step * ((index + 1) // 2) for index in range(len(crowd))]
    return result
