"""Means and their standard errors. Pure functions over numbers. Scores are from 0 to 1, which is the best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from stats.bounds import mean_bounds
from stats.means import Interval, mean_interval


@dataclass(frozen=True)
class Summary:
    """A cell of a table: the mean of the scores of `n` instances, out of `of` started instances. `mean` is None if n is 0.

    interval: 95 % interval of the mean, None if `mean_interval` gives none
    solved: number of scored instances that were solved, None if the environment has no solutions
    left_out: number of runs without a score, even if another run of the instance has one
    missing: number of instances of which a run ended without a score and none has one
    bounds: the mean if the missing scores are at their worst and at their best, see `mean_bounds`; None if none is missing
    least: the mean if the missing scores are at their floor; None if none is missing
    """

    mean: float | None
    standard_error: float | None
    n: int
    of: int
    solved: int | None = None
    left_out: int = 0
    interval: Interval | None = None
    missing: int = 0
    bounds: Interval | None = None
    least: float | None = None

    @property
    def complete(self) -> bool:
        return self.n == self.of


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None without values."""
    return math.fsum(values) / len(values) if values else None


def instance_means(instances: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean score of each instance, by its id. Several runs of one agent on an instance are not independent samples.

    instances, scores: the instance and the score of each run, both of shape (runs,)
    """
    numbers, index = np.unique(instances, return_inverse=True)
    means = np.bincount(index, scores, len(numbers)) / np.bincount(index, minlength=len(numbers))
    return np.asarray(means, dtype=np.float64)


def standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean: sample standard deviation / sqrt(n). None for fewer than two values."""
    n, middle = len(values), mean(values)
    if middle is None or n < 2:
        return None
    # np.std takes eight times as long for a dozen values, and a leaderboard has hundreds of cells.
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (n - 1) / n)


def summary(
    values: Sequence[float],
    *,
    of: int,
    solved: int | None = None,
    left_out: int = 0,
    worst: Sequence[float] = (),
    floors: Sequence[float] = (),
) -> Summary:
    """Summarise scores: one for each instance with a finished, scored run, out of `of` started instances.

    worst, floors: a supposed low score of each missing instance, and the lowest that it can be
    """
    lowest = mean_bounds(values, floors)
    return Summary(
        mean=mean(values),
        standard_error=standard_error(values),
        n=len(values),
        of=of,
        solved=solved if values else None,
        left_out=left_out,
        interval=mean_interval(values),
        missing=len(worst),
        bounds=mean_bounds(values, worst),
        least=lowest and lowest[0],
    )


def pooled_deviation(samples: Sequence[Sequence[float]]) -> float | None:
    """Standard deviation within samples, pooled over those of two or more values; None if there are none.

    The variances are weighted by their degrees of freedom.
    """
    repeated = [values for values in samples if len(values) > 1]
    freedom = sum(len(values) - 1 for values in repeated)
    squares = math.fsum((value - fmean(values)) ** 2 for values in repeated for value in values)
    return math.sqrt(squares / freedom) if freedom else None
