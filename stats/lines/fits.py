"""Straight lines through a point for each model. Pure functions over numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FEWEST_POINTS = 3
ROUNDING = 1e-9


@dataclass(frozen=True)
class Fit:
    """The line y = start + slope x, over x from `low` to `high`.

    p: two-sided, for the null hypothesis that the slope is zero
    n: number of points
    """

    slope: float
    start: float
    r_squared: float
    p: float
    n: int
    low: float
    high: float

    def at(self, x: float) -> float:
        return self.start + self.slope * x


def fit(x: Sequence[float], y: Sequence[float]) -> Fit | str:
    """Fit a least-squares line (scipy.stats.linregress). Returns a sentence with the reason if there is none."""
    if len(x) < FEWEST_POINTS:
        return f"A line needs at least {FEWEST_POINTS} models; there are {len(x)}."
    for values, axis in ((x, "horizontal"), (y, "vertical")):
        if np.ptp(values) < ROUNDING:
            return f"All models have the same {axis} value, so there is no line."
    from scipy import stats

    regression = stats.linregress(x, y)
    return Fit(
        slope=float(regression.slope),
        start=float(regression.intercept),
        r_squared=float(regression.rvalue) ** 2,
        p=float(regression.pvalue),
        n=len(x),
        low=min(x),
        high=max(x),
    )
