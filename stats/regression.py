"""The regression of scores on release dates (paper, figure 2 and tables 6 to 8). Pure functions over numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

YEAR = 365.25
FEWEST_MODELS = 3


@dataclass(frozen=True)
class ModelScores:
    """The scores of one model in points: of the runs of an agent, or the one published mean, which has no agent.

    model: agents of one model, for example with two temperatures, are one model
    """

    model: str
    released: date
    scores: NDArray[np.float64]
    agent: str = ""
    agent_id: int | None = None
    run_ids: NDArray[np.int64] | None = None

    @property
    def name(self) -> str:
        return self.agent or self.model


@dataclass(frozen=True)
class Trend:
    """The line score = start + slope x years since the first release date.

    slope: points a year; standard_error: clustered by model, so that many runs of a model are not many models
    p: two-sided, from Student's t with (models - 1) degrees of freedom; None where the line has no error
    n, models: observations, and models among them
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
        """The line's score on a day, in points."""
        return self.start + self.slope * (day - self.first).days / YEAR


def trend(found: Sequence[ModelScores]) -> Trend | str:
    """The fitted line, or a sentence that says why there is none.

    Ordinary least squares with standard errors clustered by model (statsmodels, with its correction for few clusters).
    """
    models = sorted({one.model for one in found})
    days = sorted({one.released for one in found})
    if len(models) < FEWEST_MODELS:
        return f"A trend needs runs of at least {FEWEST_MODELS} models; there are {len(models)}."
    if len(days) < 2:
        return "All models have the same release date."
    # pandas comes with statsmodels, and every process would wait for both.
    from statsmodels.regression.linear_model import OLS

    sizes = [len(one.scores) for one in found]
    scores = np.concatenate([one.scores for one in found])
    years = np.repeat([(one.released - days[0]).days / YEAR for one in found], sizes)
    clusters = np.repeat([models.index(one.model) for one in found], sizes)
    design = np.column_stack([np.ones_like(years), years])
    fit = OLS(scores, design).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    error = float(fit.bse[1])
    exact = not math.isfinite(error) or error <= 1e-9
    varied = float(np.ptp(scores)) > 1e-9
    return Trend(
        slope=float(fit.params[1]),
        start=float(fit.params[0]),
        first=days[0],
        last=days[-1],
        standard_error=0.0 if exact else error,
        p=None if exact else float(fit.pvalues[1]),
        r_squared=float(fit.rsquared) if varied else None,
        n=len(scores),
        models=len(models),
    )
