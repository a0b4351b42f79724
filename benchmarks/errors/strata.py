"""Intervals of a mean over several columns, of scores and of costs."""

import math
from itertools import product

import numpy as np

from benchmarks.errors.draws import MEANS, Draw, Numbers, experiments
from benchmarks.harness import Rows, prints, rate, share
from stats.means import BOUNDS
from stats.strata import Group, cost_interval, stratified_interval
from stats.summaries import standard_error

SIZES = (5, 8, 12, 36)
COLUMNS = (3, 9)
RARE, DEAR = 0.15, 4.0


def _with_dear_runs(rng: np.random.Generator, n: int) -> Numbers:
    """Costs of which some are several times as high, as of runs that were repeated."""
    return rng.uniform(0.5, 1.5, n) * np.where(rng.random(n) < RARE, DEAR, 1.0)


COSTS: dict[str, tuple[float, Draw]] = {
    "lognormal, σ = 0.3": (math.exp(0.045), lambda rng, n: rng.lognormal(0, 0.3, n)),
    "lognormal, σ = 0.5": (math.exp(0.125), lambda rng, n: rng.lognormal(0, 0.5, n)),
    "lognormal, σ = 1": (math.exp(0.5), lambda rng, n: rng.lognormal(0, 1, n)),
    "gamma, shape 4": (1.0, lambda rng, n: rng.gamma(4, 0.25, n)),
    "15 % cost four times as much": (1 + RARE * (DEAR - 1), _with_dear_runs),
}
"""The true mean of the costs of one agent, and a function that draws them."""


@prints("Means over columns", "scores", "columns", *(f"{n} instances" for n in SIZES))
def overall_means(number: int) -> Rows:
    """Yield the share of intervals that contain the true mean of so many columns with so many instances in each."""
    for (kind, (true, draw)), columns in product(MEANS.items(), COLUMNS):
        cells = []
        for n in SIZES:
            intervals = []
            for scores in experiments(number, draw, columns * n, 60):
                groups = [
                    Group(float(part.mean()), standard_error(part.tolist()), n) for part in np.split(scores, columns)
                ]
                is_bounded = bool(BOUNDS[0] <= scores.min() and scores.max() <= BOUNDS[1])
                if interval := stratified_interval(groups, is_bounded=is_bounded):
                    intervals.append(interval)
            cells.append(rate(low <= true <= high for low, high in intervals))
        yield [kind, str(columns), *cells]


@prints("Mean costs", "costs", "columns", *(f"{n} instances" for n in SIZES), "median width at 12, share of the mean")
def mean_costs(number: int) -> Rows:
    """Yield the share of intervals of a mean cost that contain the true one; a dash where there is no interval."""
    for (kind, (true, draw)), columns in product(COSTS.items(), (1, *COLUMNS)):
        cells, width = [], ""
        for n in SIZES:
            samples = (np.split(costs, columns) for costs in experiments(number, draw, columns * n, 61))
            intervals = [interval for groups in samples if (interval := cost_interval(groups))]
            cells.append(rate(low <= true <= high for low, high in intervals))
            if n == 12 and intervals:
                width = share(float(np.median([high - low for low, high in intervals])), true, 0)
        yield [kind, str(columns), *cells, width]
