"""Means and their errors: pure functions over numbers. Scores are shares, 1 is the best possible."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scores:
    """The scores of one agent in one cell of a table.

    values: one score for each instance with a finished, scored run
    of: how many instances were started, at least the number of values
    solved: how many scored instances were solved, None if the environment has no solutions
    left_out: how many runs have no score, even if another run of the instance has one
    """

    values: tuple[float, ...]
    of: int
    solved: int | None = None
    left_out: int = 0


@dataclass(frozen=True)
class Summary:
    """A cell of a table: the mean of `n` scores out of `of` instances started. `mean` is None where n is 0."""

    mean: float | None
    standard_error: float | None
    n: int
    of: int
    solved: int | None = None
    left_out: int = 0

    @property
    def complete(self) -> bool:
        return self.n == self.of


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None without values."""
    return math.fsum(values) / len(values) if values else None


def standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean: sample standard deviation / sqrt(n). None for fewer than two values."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def summary(scores: Scores) -> Summary:
    return Summary(
        mean=mean(scores.values),
        standard_error=standard_error(scores.values),
        n=len(scores.values),
        of=scores.of,
        solved=scores.solved if scores.values else None,
        left_out=scores.left_out,
    )
