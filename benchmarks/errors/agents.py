"""Tests between agents on the same instances, and rank ranges."""

import math
from itertools import combinations, product

import numpy as np

from benchmarks.errors.draws import BOARDS, KINDS, SEED, SIZES, Numbers, experiments, generators
from benchmarks.harness import Rows, prints, rate
from stats.means import LEVEL, flip_interval, sign_flip_p
from stats.paired import wilcoxon_p
from stats.ranks import separations


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


@prints("Instances added after a look", "looks at", "p < 0.05 at one of them")
def looks(number: int) -> Rows:
    """Yield the share of experiments with p < 0.05 at any look, if seeds are added after each look without p < 0.05."""
    for sizes in ((8, 12), (8, 12, 16), (6, 8, 10, 12, 14, 16)):
        drawn = experiments(number, KINDS["normal"], sizes[-1], 6)
        yield [", ".join(map(str, sizes)), rate(any(sign_flip_p(d[:n]) < LEVEL for n in sizes) for d in drawn)]


@prints("Rank ranges", "scores", "agents", *(f"{n} instances" for n in SIZES))
def ranks(number: int) -> Rows:
    """Yield the share of leaderboards of equal agents on which two of them are set apart."""
    for (kind, draw), agents in product(BOARDS.items(), (2, 8, 20)):
        boards = (
            (np.array([draw(rng, n) for _ in range(agents)]) for rng in generators(number, agents, n)) for n in SIZES
        )
        yield [kind, str(agents), *(rate(separations(board).any() for board in of_size) for of_size in boards)]


@prints("Rank ranges with partial rows", "scores", "agents", *(f"{n} of {2 * n} instances" for n in SIZES))
def partial_ranks(number: int) -> Rows:
    """Yield the same share if every second agent has finished a random half of the instances only."""
    for (kind, draw), agents in product(BOARDS.items(), (2, 8, 20)):
        cells = []
        for n in SIZES:
            boards = (
                np.array([_half(rng, draw(rng, 2 * n)) if agent % 2 else draw(rng, 2 * n) for agent in range(agents)])
                for rng in generators(number, agents, n, 8)
            )
            cells.append(rate(separations(board).any() for board in boards))
        yield [kind, str(agents), *cells]


def _half(rng: np.random.Generator, scores: Numbers) -> Numbers:
    scores[rng.permutation(len(scores))[::2]] = np.nan
    return scores
