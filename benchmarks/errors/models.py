"""Regressions through models, and tests between groups of models or of names."""

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

from benchmarks.errors.draws import BOARDS, KINDS, SEED, Numbers, generators
from benchmarks.harness import Rows, prints, rate
from stats.lines.fits import Fit, fit
from stats.lines.regression import ModelScores, Trend, clustered_trend, trend
from stats.means import LEVEL
from stats.pairwise import Welch, welch_tests

RUNS = 12
"""Number of runs of each model, as in the paper."""


@prints(f"Trend over release dates, {RUNS} runs a model", "models", "means, t(G - 2)", "clustered, normal")
def trends(number: int) -> Rows:
    """Yield the share of regressions with p < 0.05 if scores do not depend on the date, but runs of a model are correlated.

    There are two regressions: on the models' means as on the page, and with errors clustered by model as in the paper.
    """
    for models in (4, 8, 16):
        rng = np.random.default_rng([SEED, models])
        drawn = [_null_scores(rng, models) for _ in range(number)]
        lines = [[trend(seen) for seen in drawn], [clustered_trend(seen, RUNS) for seen in drawn]]
        hits = ([isinstance(line, Trend) and (line.p or 1.0) < LEVEL for line in kind] for kind in lines)
        yield [str(models), *map(rate, hits)]


def _null_scores(rng: np.random.Generator, models: int) -> list[ModelScores]:
    first = date(2024, 1, 1)
    return [
        ModelScores(
            str(model),
            first + timedelta(days=int(rng.integers(0, 700))),
            rng.normal(50, 10) + rng.normal(0, 15, RUNS),
        )
        for model in range(models)
    ]


@prints("Twelve tests between names", "without correction", "Holm")
def names(number: int) -> Rows:
    """Yield the share of experiments in which a test between names has p < 0.05, of twelve tests, with and without Holm."""
    rng = np.random.default_rng([SEED, 12])
    drawn = ([(rng.normal(0.1, 0.02, 18), rng.normal(0.1, 0.02, 18)) for _ in range(12)] for _ in range(number))
    tests = [[test for test in welch_tests(pairs, "names") if isinstance(test, Welch)] for pairs in drawn]
    adjusted = rate(any((test.adjusted_p or 0.0) < LEVEL for test in of_one) for of_one in tests)
    yield [rate(any(test.p < LEVEL for test in of_one) for of_one in tests), adjusted]


@prints("Lines through models and tests between them", "models", "line, normal", "two halves, normal",
        "line, beta(8, 1)", "two halves, beta(8, 1)")  # fmt: skip
def lines(number: int) -> Rows:
    """Yield the share with p < 0.05 of regression lines through the means of models, and of tests between two groups."""
    for models in (4, 8, 16):
        cells = []
        for draw in (KINDS["normal"], BOARDS["beta(8, 1)"]):
            fits = [fit(x, draw(rng, models)) for rng, x in _dates(number, models)]
            groups = [(draw(rng, models // 2), draw(rng, models - models // 2)) for rng, _ in _dates(number, models)]
            tests = [welch_tests([pair], "models")[0] for pair in groups]
            cells += [
                rate(isinstance(line, Fit) and line.p < LEVEL for line in fits),
                rate(isinstance(test, Welch) and test.p < LEVEL for test in tests),
            ]
        yield [str(models), *cells]


def _dates(number: int, models: int) -> Iterator[tuple[np.random.Generator, Numbers]]:
    return ((rng, rng.uniform(0, 2, models)) for rng in generators(number, models, 7))
