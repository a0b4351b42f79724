"""Means and their standard errors. Pure functions over numbers. Scores are from 0 to 1, which is the best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from stats.means import Interval, mean_interval


@dataclass(frozen=True)
class Summary:
    """A cell of a table: the mean of the scores of `n` instances, out of `of` started instances. `mean` is None if n is 0.

    interval: 95 % interval of the mean, None if `mean_interval` gives none
    solved: number of scored instances that were solved, None if the environment has no solutions
    left_out: number of runs without a score, even if another run of the instance has one
    """

    mean: float | None
    standard_error: float | None
    n: int
    of: int
    solved: int | None = None
    left_out: int = 0
    interval: Interval | None = None

    @property
    def complete(self) -> bool:
        return self.n == self.of


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None without values."""
    return math.fsum(values) / len(values) if values else None


def standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean: sample standard deviation / sqrt(n). None for fewer than two values."""
    n, middle = len(values), mean(values)
    if middle is None or n < 2:
        return None
    # np.std takes eight times as long for a dozen values, and a leaderboard has hundreds of cells.
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (n - 1) / n)


def summary(values: Sequence[float], *, of: int, solved: int | None = None, left_out: int = 0) -> Summary:
    """Summarise scores: one for each instance with a finished, scored run, out of `of` started instances."""
    solved_count = solved if values else None
    return Summary(mean(values), standard_error(values), len(values), of, solved_count, left_out, mean_interval(values))


def pooled_deviation(samples: Sequence[Sequence[float]]) -> float | None:
    """Standard deviation within samples, pooled over those of two or more values; None if there are none.

    The variances are weighted by their degrees of freedom.
    """
    repeated = [values for values in samples if len(values) > 1]
    freedom = sum(len(values) - 1 for values in repeated)
    squares = math.fsum((value - fmean(values)) ** 2 for values in repeated for value in values)
    return math.sqrt(squares / freedom) if freedom else None
