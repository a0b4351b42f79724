"""Measures the type I error of each statistical test, on 2,000 null experiments of each kind.

    python -m benchmarks type_one_error [--experiments 2000]

In a null experiment two agents are equal, so the paired differences are symmetric about zero. With "skewed scores" the
scores of both agents are skewed. Seeds are fixed, so the figures are reproducible. Takes about a quarter of an hour.
"""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from itertools import combinations, product

import numpy as np

from benchmarks.harness import Rows, prints, rate, share
from benchmarks.null_draws import BOARDS, KINDS, MEANS, STAGED, Draw, Numbers
from stats.fits import Fit, fit
from stats.means import LEVEL, deviation_interval, flip_interval, mean_interval, sign_flip_p
from stats.paired import wilcoxon_p
from stats.pairwise import Welch, welch_tests
from stats.ranks import rank_ranges
from stats.regression import ModelScores, Trend, clustered_trend, trend
from stats.sequential import look, spent

SIZES = (6, 8, 12, 36)
DESIGNS = ((4, 8, 12), (8, 10, 12), (6, 12), (3, 6, 9, 12), (10, 15, 20), (10, 20, 30, 40))
RUNS = 12
"""Number of runs of each model, as in the paper."""
SEED = 20_260_218
SPREAD = 0.224
"""The true standard deviation of the rates in `deviations`."""


def experiments(number: int, draw: Draw, n: int, key: int = 0) -> Iterator[Numbers]:
    rng = np.random.default_rng([SEED, n, key])
    return (draw(rng, n) for _ in range(number))


@prints("Paired tests and their interval", "differences", "n", "sign-flip", "Wilcoxon", "interval contains 0",
        "excludes 0 though p is not below 0.05")  # fmt: skip
def paired_tests(number: int) -> Rows:
    """Yield shares of experiments: p < 0.05; the interval contains 0; the interval excludes 0 although p >= 0.05."""
    for kind, n in product(KINDS, SIZES):
        drawn = list(experiments(number, KINDS[kind], n))
        flips = [sign_flip_p(d) for d in drawn]
        inside = [low <= 0 <= high for low, high in map(flip_interval, drawn)]
        ranks = rate((wilcoxon_p(d) or 1.0) < LEVEL for d in drawn)
        odd = rate(p >= LEVEL and not is_inside for p, is_inside in zip(flips, inside, strict=True))
        yield [kind, str(n), rate(p < LEVEL for p in flips), ranks, rate(inside), odd]


@prints("Comparisons of several agents", "agents", "8 instances", "12 instances")
def families(number: int) -> Rows:
    """Yield the share of experiments with several equal agents in which a pair has p < 0.05 after Holm's method."""
    for agents in (2, 3, 4, 8):
        cells = []
        for n in (8, 12):
            rng = np.random.default_rng([SEED, agents, n])
            scores = (rng.beta(8, 1, (agents, n)) for _ in range(number))
            smallest = (min(sign_flip_p(b - a) for a, b in combinations(of_one, 2)) for of_one in scores)
            cells.append(rate(p * math.comb(agents, 2) < LEVEL for p in smallest))
        yield [str(agents), *cells]


@prints("Means of one agent", "scores", "n", "have an interval", "interval contains the mean")
def means(number: int) -> Rows:
    """Yield the share of intervals that contain the true mean; a dash if fewer than 5 % of experiments have an interval."""
    for (kind, (true, draw)), n in product(MEANS.items(), SIZES):
        intervals = [interval for d in experiments(number, draw, n, 3) if (interval := mean_interval(d))]
        inside = rate(low <= true <= high for low, high in intervals)
        yield [kind, str(n), share(len(intervals), number), inside if len(intervals) * 20 >= number else "–"]


@prints("Reliability, true value 0.776", "runs", "normal", "uniform", "mean of the estimate")
def deviations(number: int) -> Rows:
    """Yield the share of intervals that contain the true standard deviation, and the mean of 1 minus its estimate."""
    for n in (2, 3, 6, 12, 18):
        normal, uniform = (
            [float(d.std(ddof=1)) for d in experiments(number, draw, n, key)]
            for draw, key in ((_normal_rates, 4), (_uniform_rates, 5))
        )
        inside, other = (
            rate(low <= SPREAD <= high for low, high in (deviation_interval(spread, n - 1) for spread in spreads))
            for spreads in (normal, uniform)
        )
        yield [str(n), inside, other, f"{1 - np.mean(normal):.3f}"]


def _normal_rates(rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(0, SPREAD, n)


def _uniform_rates(rng: np.random.Generator, n: int) -> Numbers:
    return rng.uniform(0, math.sqrt(12) * SPREAD, n)


@prints("Twelve tests between names", "without correction", "Holm")
def names(number: int) -> Rows:
    """Yield the share of experiments in which a test between names has p < 0.05, of twelve tests, with and without Holm."""
    rng = np.random.default_rng([SEED, 12])
    drawn = ([(rng.normal(0.1, 0.02, 18), rng.normal(0.1, 0.02, 18)) for _ in range(12)] for _ in range(number))
    tests = [[test for test in welch_tests(pairs, "names") if isinstance(test, Welch)] for pairs in drawn]
    adjusted = rate(any((test.adjusted_p or 0.0) < LEVEL for test in of_one) for of_one in tests)
    yield [rate(any(test.p < LEVEL for test in of_one) for of_one in tests), adjusted]


@prints("Instances added after a look", "looks at", "p < 0.05 at one of them")
def looks(number: int) -> Rows:
    """Yield the share of experiments with p < 0.05 at any look, if seeds are added after each look without p < 0.05."""
    for sizes in ((8, 12), (8, 12, 16), (6, 8, 10, 12, 14, 16)):
        drawn = experiments(number, KINDS["normal"], sizes[-1], 6)
        yield [", ".join(map(str, sizes)), rate(any(sign_flip_p(d[:n]) < LEVEL for n in sizes) for d in drawn)]


@prints("Comparisons in stages", "stages", "differences", "error", "error, 10 points planned", "played",
        "played, 10 points planned")  # fmt: skip
def staged(number: int) -> Rows:
    """Yield the share of experiments that a staged comparison decided, and the mean share of instances played."""
    for sizes, (kind, draw) in product(DESIGNS, STAGED.items()):
        plans = [[_play(d, sizes, planned) for d in experiments(number, draw, sizes[-1])] for planned in (0, 10)]
        errors = [rate(decided for _, decided in runs) for runs in plans]
        played = [f"{np.mean([n for n, _ in runs]) / sizes[-1]:.0%}".replace("%", " %") for runs in plans]
        yield ["-".join(map(str, sizes)), kind, *errors, *played]


def _play(d: Numbers, sizes: tuple[int, ...], planned: float) -> tuple[int, bool]:
    """Simulate a comparison in stages. Returns the number of instances played, and whether it found a difference."""
    levels = spent(sizes)
    for stage, n in enumerate(sizes, 1):
        decision = look(d[:n].tolist(), sizes[:stage], levels[:stage], planned=planned, total=sizes[-1])
        if decision.is_decided or decision.is_futile:
            break
    return n, decision.is_decided


def _shifted(effect: float, rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(effect, 1, n)


@prints("Power", "stages", "effect, SD", "in stages", "at the end alone", "mean instances")
def power_of_stages(number: int) -> Rows:
    """Yield power and instances played if the agents differ by some standard deviations, in stages and by one final test."""
    for sizes, effect in product(DESIGNS, (0.5, 1.0, 1.5)):
        drawn = list(experiments(number, partial(_shifted, effect), sizes[-1], 2))
        ends = [_play(d, sizes, 0) for d in drawn]
        at_end = rate(_play(d, (sizes[-1],), 0)[1] for d in drawn)
        mean_played = f"{np.mean([n for n, _ in ends]):.1f} of {sizes[-1]}"
        yield ["-".join(map(str, sizes)), f"{effect:g}", rate(decided for _, decided in ends), at_end, mean_played]


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


@prints("Rank ranges", "scores", "agents", *(f"{n} instances" for n in SIZES))
def ranks(number: int) -> Rows:
    """Yield the share of leaderboards of equal agents on which the rank ranges are not all the same."""
    for (kind, draw), agents in product(BOARDS.items(), (2, 8, 20)):
        boards = (
            (np.array([draw(rng, n) for _ in range(agents)]) for rng in _generators(number, agents, n)) for n in SIZES
        )
        cells = (rate(set(rank_ranges(board)) != {(1, agents)} for board in of_size) for of_size in boards)
        yield [kind, str(agents), *cells]


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


def _generators(number: int, *key: int) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([SEED, *key, experiment]) for experiment in range(number))


def _dates(number: int, models: int) -> Iterator[tuple[np.random.Generator, Numbers]]:
    return ((rng, rng.uniform(0, 2, models)) for rng in _generators(number, models, 7))


def main(*, experiments: int = 2_000) -> None:
    for measure in (
        staged, power_of_stages, trends, paired_tests, families, means, deviations, names, looks, ranks, lines,
    ):  # fmt: skip
        measure(experiments)
