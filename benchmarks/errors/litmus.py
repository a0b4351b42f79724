"""Intervals of the scores of a litmus test: each alone and all three together."""

import math
from itertools import product

import numpy as np

from benchmarks.errors.draws import MEANS, SIZES, Draw, Numbers, generators
from benchmarks.harness import Rows, prints, rate, share
from stats.joint import TOGETHER, means_interval, spread_interval

LITMUS: dict[str, tuple[float, float, Draw]] = {
    "normal": (0.5, 0.1, lambda rng, n: rng.normal(0.5, 0.1, n)),
    "beta(2, 3)": (0.4, 0.2, lambda rng, n: rng.beta(2, 3, n)),
    "beta(8, 1)": (8 / 9, math.sqrt(8 / 810), lambda rng, n: rng.beta(8, 1, n)),
    "tenths": (0.5, math.sqrt(8) * 0.05, lambda rng, n: 0.1 + 0.1 * rng.binomial(8, 0.5, n)),
}
"""The true mean and standard deviation of litmus scores, and a function that draws them."""
RESAMPLES = 499


@prints("Litmus scores together", "litmus scores", "runs", "all three known", "litmus", "competency", "reliability",
        "all three", "joint bootstrap, all three")  # fmt: skip
def together(number: int) -> Rows:
    """Yield the share of intervals at the level of three that contain the true values, one by one and all together.

    Competency is beta(8, 1) in as many runs. The last column has the simultaneous percentile intervals of a bootstrap that
    resamples each run once.
    """
    for (kind, (mean, spread, draw)), n in product(LITMUS.items(), SIZES):
        rows, boots = [], []
        for rng in generators(number, n, 40):
            litmus, competency = draw(rng, n), rng.beta(8, 1, n)
            intervals = (
                means_interval([litmus.tolist()], TOGETHER),
                means_interval([competency.tolist()], TOGETHER),
                spread_interval(litmus.tolist()),
            )
            true = (mean, 8 / 9, spread)
            if all(intervals):
                rows.append(
                    [
                        ends is not None and ends[0] <= value <= ends[1]
                        for ends, value in zip(intervals, true, strict=True)
                    ]
                )
                boots.append(_bootstrap_holds(rng, litmus, competency, true))
        cells = [rate(hits) for hits in zip(*rows, strict=True)]
        yield [kind, str(n), share(len(rows), number), *cells, rate(map(all, rows)), rate(boots)]


def _bootstrap_holds(
    rng: np.random.Generator, litmus: Numbers, competency: Numbers, true: tuple[float, float, float]
) -> bool:
    """Whether the percentile intervals that 95 % of resamples lie in together contain all three true values."""
    n = len(litmus)
    drawn, other = litmus[rng.integers(0, n, (RESAMPLES, n))], competency[rng.integers(0, n, (RESAMPLES, n))]
    values = np.array([drawn.mean(axis=1), other.mean(axis=1), drawn.std(axis=1, ddof=1)])
    places = values.argsort(axis=1).argsort(axis=1) / (RESAMPLES - 1)
    depth = np.minimum(places, 1 - places).min(axis=0)
    inner = values[:, depth >= np.quantile(depth, 0.05)]
    return bool(((inner.min(axis=1) <= true) & (true <= inner.max(axis=1))).all())


PARTS = {
    "beta(8, 1), beta(8, 1)": ("beta(8, 1)", "beta(8, 1)"),
    "normal, beta(8, 1)": ("normal", "beta(8, 1)"),
    "heavy tails, normal": ("heavy tails (t, 2 df)", "normal"),
    "60 % at the bound, beta(8, 1)": ("60 % at the bound", "beta(8, 1)"),
    "60 % at the bound, both": ("60 % at the bound", "60 % at the bound"),
}


@prints("Competency in two parts", "parts", "runs", "have an interval", "interval contains the mean")
def two_parts(number: int) -> Rows:
    """Yield the share of samples with an interval, and of these intervals that contain the true mean of two means.

    The second part has half again as many runs.
    """
    for (kind, names), n in product(PARTS.items(), SIZES):
        (first, first_draw), (second, second_draw) = (MEANS[name] for name in names)
        true, hits = (first + second) / 2, []
        for rng in generators(number, n, 41):
            ends = means_interval([first_draw(rng, n).tolist(), second_draw(rng, n * 3 // 2).tolist()])
            hits += [ends[0] <= true <= ends[1]] if ends else []
        yield [kind, str(n), share(len(hits), number), rate(hits) if len(hits) * 20 >= number else "–"]
