"""The regression of scores on release dates (paper, figure 2 and tables 6 to 8). Pure functions over numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

YEAR = 365.25
FEWEST_MODELS = 3


@dataclass(frozen=True)
class Observation:
    """A score in points: of one run, or a published mean. run_id: None for a published mean"""

    model: str
    released: date
    score: float
    model_id: int | None = None
    run_id: int | None = None


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


def trend(observations: Sequence[Observation]) -> Trend | str:
    """The fitted line, or a sentence that says why there is none.

    Ordinary least squares with standard errors clustered by model (statsmodels, with its correction for few clusters).
    """
    models = sorted({seen.model for seen in observations})
    days = sorted({seen.released for seen in observations})
    if len(models) < FEWEST_MODELS:
        return f"A trend needs runs of at least {FEWEST_MODELS} models; there are {len(models)}."
    if len(days) < 2:
        return "All models have the same release date."
    # pandas comes with statsmodels, and every process would wait for both.
    from statsmodels.regression.linear_model import OLS

    years = np.array([(seen.released - days[0]).days / YEAR for seen in observations])
    scores = np.array([seen.score for seen in observations])
    numbers = {model: number for number, model in enumerate(models)}
    clusters = np.array([numbers[seen.model] for seen in observations])
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
        n=len(observations),
        models=len(models),
    )
