"""Measures the type I error of each statistical test, on 2,000 null experiments of each kind.

    python -m benchmarks type_one_error [--experiments 2000]

In a null experiment two agents are equal, so the paired differences are symmetric about zero. With "skewed scores" the
scores of both agents are skewed. Seeds are fixed, so the figures are reproducible. Takes about a quarter of an hour.
"""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from itertools import combinations

import numpy as np

from benchmarks.harness import print_table, share
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


def experiments(number: int, draw: Draw, n: int, key: int = 0) -> Iterator[Numbers]:
    rng = np.random.default_rng([SEED, n, key])
    return (draw(rng, n) for _ in range(number))


def paired_tests(number: int) -> None:
    """Print shares of experiments: p < 0.05; the interval contains 0; the interval excludes 0 although p >= 0.05."""
    rows = []
    for kind, draw in KINDS.items():
        for n in SIZES:
            flips = [(sign_flip_p(d), flip_interval(d)) for d in experiments(number, draw, n)]
            inside = [low <= 0 <= high for _, (low, high) in flips]
            odd = sum(p >= LEVEL and not is_inside for (p, _), is_inside in zip(flips, inside, strict=True))
            ranks = [(wilcoxon_p(d) or 1.0) < LEVEL for d in experiments(number, draw, n)]
            counts = (sum(p < LEVEL for p, _ in flips), sum(ranks), sum(inside), odd)
            rows.append([kind, str(n), *(share(hits, number) for hits in counts)])
    head = ["differences", "n", "sign-flip", "Wilcoxon", "interval contains 0", "excludes 0 though p is not below 0.05"]
    print_table("Paired tests and their interval", head, rows)


def families(number: int) -> None:
    """Print the share of experiments with several equal agents in which a pair has p < 0.05 after Holm's method."""
    rows = []
    for agents in (2, 3, 4, 8):
        cells = []
        for n in (8, 12):
            rng = np.random.default_rng([SEED, agents, n])
            scores = (rng.beta(8, 1, (agents, n)) for _ in range(number))
            smallest = (min(sign_flip_p(b - a) for a, b in combinations(of_one, 2)) for of_one in scores)
            cells.append(share(sum(p * math.comb(agents, 2) < LEVEL for p in smallest), number))
        rows.append([str(agents), *cells])
    print_table("Comparisons of several agents", ["agents", "8 instances", "12 instances"], rows)


def means(number: int) -> None:
    """Print the share of intervals that contain the true mean; a dash if fewer than 5 % of experiments have an interval."""
    rows = []
    for kind, (true, draw) in MEANS.items():
        for n in SIZES:
            intervals = [interval for d in experiments(number, draw, n, 3) if (interval := mean_interval(d))]
            inside = sum(low <= true <= high for low, high in intervals)
            often = len(intervals) * 20 >= number
            rows.append([kind, str(n), share(len(intervals), number), share(inside, len(intervals)) if often else "–"])
    print_table("Means of one agent", ["scores", "n", "have an interval", "interval contains the mean"], rows)


def deviations(number: int) -> None:
    """Print the share of intervals that contain the true standard deviation, and the mean of 1 minus its estimate."""
    rows = []
    for n in (2, 3, 6, 12, 18):
        spreads = [float(d.std(ddof=1)) for d in experiments(number, lambda rng, n: rng.normal(0, 0.224, n), n, 4)]
        inside = sum(low <= 0.224 <= high for low, high in (deviation_interval(spread, n - 1) for spread in spreads))
        uniform = [
            float(d.std(ddof=1))
            for d in experiments(number, lambda rng, n: rng.uniform(0, math.sqrt(12) * 0.224, n), n, 5)
        ]
        other = sum(low <= 0.224 <= high for low, high in (deviation_interval(spread, n - 1) for spread in uniform))
        rows.append([str(n), share(inside, number), share(other, number), f"{1 - np.mean(spreads):.3f}"])
    print_table("Reliability, true value 0.776", ["runs", "normal", "uniform", "mean of the estimate"], rows)


def names(number: int) -> None:
    """Print the share of experiments in which a test between names has p < 0.05, of twelve tests, with and without Holm."""
    rng = np.random.default_rng([SEED, 12])
    raw = adjusted = 0
    for _ in range(number):
        pairs = [(rng.normal(0.1, 0.02, 18), rng.normal(0.1, 0.02, 18)) for _ in range(12)]
        tests = [test for test in welch_tests(pairs, "names") if isinstance(test, Welch)]
        raw += any(test.p < LEVEL for test in tests)
        adjusted += any((test.adjusted_p or 0.0) < LEVEL for test in tests)
    print_table(
        "Twelve tests between names", ["without correction", "Holm"], [[share(raw, number), share(adjusted, number)]]
    )


def looks(number: int) -> None:
    """Print the share of experiments with p < 0.05 at any look, if seeds are added after each look without p < 0.05."""
    rows = []
    for sizes in ((8, 12), (8, 12, 16), (6, 8, 10, 12, 14, 16)):
        drawn = list(experiments(number, KINDS["normal"], sizes[-1], 6))
        hits = sum(any(sign_flip_p(d[:n]) < LEVEL for n in sizes) for d in drawn)
        rows.append([", ".join(map(str, sizes)), share(hits, number)])
    print_table("Instances added after a look", ["looks at", "p < 0.05 at one of them"], rows)


def staged(number: int) -> None:
    """Print the share of experiments that a staged comparison decided, and the mean share of instances played."""
    rows = []
    for sizes in DESIGNS:
        for kind, draw in STAGED.items():
            ends = [_play(d, sizes, 0) for d in experiments(number, draw, sizes[-1])]
            futile = [_play(d, sizes, 10) for d in experiments(number, draw, sizes[-1])]
            cells = [share(sum(decided for _, decided in runs), number) for runs in (ends, futile)]
            shares = [f"{np.mean([n for n, _ in runs]) / sizes[-1]:.0%}".replace("%", " %") for runs in (ends, futile)]
            rows.append(["-".join(map(str, sizes)), kind, *cells, *shares])
    head = ["stages", "differences", "error", "error, 10 points planned", "played", "played, 10 points planned"]
    print_table("Comparisons in stages", head, rows)


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


def power_of_stages(number: int) -> None:
    """Print power and instances played if the agents differ by some standard deviations, in stages and by one final test."""
    rows = []
    for sizes in DESIGNS:
        for effect in (0.5, 1.0, 1.5):
            drawn = list(experiments(number, partial(_shifted, effect), sizes[-1], 2))
            ends = [_play(d, sizes, 0) for d in drawn]
            hits_at_end = sum(_play(d, (sizes[-1],), 0)[1] for d in drawn)
            mean_played = f"{np.mean([n for n, _ in ends]):.1f} of {sizes[-1]}"
            cells = [share(sum(decided for _, decided in ends), number), share(hits_at_end, number), mean_played]
            rows.append(["-".join(map(str, sizes)), f"{effect:g}", *cells])
    print_table("Power", ["stages", "effect, SD", "in stages", "at the end alone", "mean instances"], rows)


def trends(number: int) -> None:
    """Print the share of regressions with p < 0.05 if scores do not depend on the date, but runs of a model are correlated.

    There are two regressions: on the models' means as on the page, and with errors clustered by model as in the paper.
    """
    rows = []
    for models in (4, 8, 16):
        rng = np.random.default_rng([SEED, models])
        drawn = [_null_scores(rng, models) for _ in range(number)]
        lines = [[trend(seen) for seen in drawn], [clustered_trend(seen, RUNS) for seen in drawn]]
        hits = [sum(isinstance(line, Trend) and (line.p or 1.0) < LEVEL for line in kind) for kind in lines]
        rows.append([str(models), *(share(count, number) for count in hits)])
    print_table(
        f"Trend over release dates, {RUNS} runs a model", ["models", "means, t(G - 2)", "clustered, normal"], rows
    )


def _null_scores(rng: np.random.Generator, models: int) -> list[ModelScores]:
    seen = []
    for model in range(models):
        released = date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 700)))
        seen.append(ModelScores(str(model), released, rng.normal(50, 10) + rng.normal(0, 15, RUNS)))
    return seen


def ranks(number: int) -> None:
    """Print the share of leaderboards of equal agents on which the rank ranges are not all the same."""
    rows = []
    for kind, draw in BOARDS.items():
        for agents in (2, 8, 20):
            cells = []
            for n in SIZES:
                boards = (np.array([draw(rng, n) for _ in range(agents)]) for rng in _generators(number, agents, n))
                cells.append(share(sum(set(rank_ranges(board)) != {(1, agents)} for board in boards), number))
            rows.append([kind, str(agents), *cells])
    print_table("Rank ranges", ["scores", "agents", *(f"{n} instances" for n in SIZES)], rows)


def lines(number: int) -> None:
    """Print the share with p < 0.05 of regression lines through the means of models, and of tests between two groups."""
    rows = []
    for models in (4, 8, 16):
        cells = []
        for draw in (KINDS["normal"], BOARDS["beta(8, 1)"]):
            fits = [fit(x, draw(rng, models)) for rng, x in _dates(number, models)]
            cells.append(share(sum(isinstance(line, Fit) and line.p < LEVEL for line in fits), number))
            groups = [(draw(rng, models // 2), draw(rng, models - models // 2)) for rng, _ in _dates(number, models)]
            tests = [welch_tests([pair], "models")[0] for pair in groups]
            cells.append(share(sum(isinstance(test, Welch) and test.p < LEVEL for test in tests), number))
        rows.append([str(models), *cells])
    head = ["models", "line, normal", "two halves, normal", "line, beta(8, 1)", "two halves, beta(8, 1)"]
    print_table("Lines through models and tests between them", head, rows)


def _generators(number: int, *key: int) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([SEED, *key, experiment]) for experiment in range(number))


def _dates(number: int, models: int) -> Iterator[tuple[np.random.Generator, Numbers]]:
    return ((rng, rng.uniform(0, 2, models)) for rng in _generators(number, models, 7))


def main(*, experiments: int = 2_000) -> None:
    for measure in (
        staged, power_of_stages, trends, paired_tests, families, means, deviations, names, looks, ranks, lines,
    ):  # fmt: skip
        measure(experiments)
