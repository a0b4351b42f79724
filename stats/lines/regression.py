"""The regression of scores on release dates (paper, figure 2 and tables 6 to 8). Pure functions over numbers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stats.summaries import instance_means

YEAR = 365.25
FEWEST_MODELS = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ModelScores:
    """Scores of one model in points: those of the runs of one agent, or a single published mean, which has no agent.

    model: name of the model; several agents may have it, for example with different temperatures
    instances: ids of the instances of the runs; None if each score counts alone
    """

    model: str
    released: date
    scores: NDArray[np.float64]
    agent: str = ""
    agent_id: int | None = None
    run_ids: NDArray[np.int64] | None = None
    instances: NDArray[np.int64] | None = None

    @property
    def means(self) -> Floats:
        """The score of each instance: several runs on it count as their mean."""
        return self.scores if self.instances is None else instance_means(self.instances, self.scores)

    @property
    def name(self) -> str:
        return self.agent or self.model


@dataclass(frozen=True)
class Trend:
    """The line score = start + slope x years since the first release date, through the models' means.

    slope: in points a year
    standard_error, p: see `trend` and `clustered_trend`; p is two-sided, None if all means are on the line
    r_squared: share of the variance of the models' means that the line explains; None if they are all equal
    n, models: number of observations and of models
    """

    slope: float
    start: float
    first: date
    last: date
    standard_error: float
    p: float | None
    r_squared: float | None
    n: int
    models: int

    def at(self, day: date) -> float:
        """The value of the line on a day, in points."""
        return self.start + self.slope * (day - self.first).days / YEAR


def trend(seen: Sequence[ModelScores]) -> Trend | str:
    """Fit the least-squares line through the mean of each model. Returns a sentence with the reason if there is none.

    p is from Student's t with (models - 2) degrees of freedom. Runs of one model are not independent, so each model is
    one observation.
    """
    from scipy.special import stdtr

    means = _means(seen)
    if isinstance(means, str):
        return means
    years, scores, days = means
    line = _Line(years, scores)
    freedom = len(years) - 2
    error = math.sqrt(line.squares / freedom / line.spread)
    return _trend(line, days, error, lambda t: 2 * float(stdtr(freedom, -t)), sum(len(row.scores) for row in seen))


def clustered_trend(seen: Sequence[ModelScores], runs: int) -> Trend | str:
    """Fit the same line with the errors of the paper's tables 6 to 8: clustered by model, p by the normal distribution.

    runs: number of runs of each model, of which only the mean is known

    The clustered error depends only on the sum of the residuals of each model. So means over `runs` runs give the same
    error as the runs themselves. With few models this method rejects a true null hypothesis too often.
    """
    means = _means(seen)
    if isinstance(means, str):
        return means
    years, scores, days = means
    line, models = _Line(years, scores), len(years)
    few = models / (models - 1) * (models * runs - 1) / (models * runs - 2)
    error = math.sqrt(float(((line.residuals * line.apart) ** 2).sum()) * few) / line.spread
    return _trend(line, days, error, lambda t: 2 * NormalDist().cdf(-t), models * runs)


class _Line:
    """The least-squares line of y on x.

    apart: deviations of x from its mean; spread: the sum of their squares
    squares, total: sums of squares of the residuals, and of the deviations of y from its mean
    """

    def __init__(self, x: Floats, y: Floats):
        self.apart = x - x.mean()
        self.spread = float((self.apart**2).sum())
        self.slope = float((self.apart * y).sum()) / self.spread
        self.start = float(y.mean() - self.slope * x.mean())
        self.residuals = y - self.start - self.slope * x
        self.squares = float((self.residuals**2).sum())
        self.total = float(((y - y.mean()) ** 2).sum())


def _means(seen: Sequence[ModelScores]) -> tuple[Floats, Floats, list[date]] | str:
    """Years since the first release and mean score of each model, and the release dates.

    Returns a sentence with the reason if there can be no line.
    """
    models = sorted({row.model for row in seen})
    days = sorted({row.released for row in seen})
    if len(models) < FEWEST_MODELS:
        return f"A trend needs runs of at least {FEWEST_MODELS} models; there are {len(models)}."
    of_models = [[row for row in seen if row.model == model] for model in models]
    scores = np.array([np.concatenate([row.means for row in of_model]).mean() for of_model in of_models])
    years = np.array([min(row.released - days[0] for row in of_model).days / YEAR for of_model in of_models])
    return (years, scores, days) if np.ptp(years) else "All models have the same release date."


def _trend(line: _Line, days: list[date], error: float, p_of: Callable[[float], float], n: int) -> Trend:
    exact = error <= 1e-9
    return Trend(
        slope=line.slope,
        start=line.start,
        first=days[0],
        last=days[-1],
        standard_error=0.0 if exact else error,
        p=None if exact else p_of(abs(line.slope) / error),
        r_squared=1 - line.squares / line.total if line.total > 1e-12 else None,
        n=n,
        models=len(line.apart),
    )
