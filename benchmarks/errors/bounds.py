"""Bounds of means with missing runs, and verdicts that do not depend on these."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from analysis.base.matching import Side
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.cells import CellScores, lowest_scores, supposed_scores
from analysis.comparing.missing import Board, Scores
from benchmarks.errors.draws import Draw, Numbers, generators
from benchmarks.harness import Rows, prints, rate
from stats.bounds import mean_bounds
from stats.means import LEVEL, ROUNDING, sign_flip_p

SIZES = (5, 8, 12, 36)
COLUMN = BenchmarkColumn("pricing", "BASIC")
DRAWS: dict[str, Draw] = {
    "normal": lambda rng, n: np.clip(rng.normal(0.5, 0.15, n), 0, 1),
    "beta(8, 1)": lambda rng, n: rng.beta(8, 1, n),
    "60 % at the bound": lambda rng, n: np.where(rng.random(n) < 0.6, 1.0, rng.beta(2, 1, n)),
}
LOST = {"at random": False, "where the score is lowest": True}
SHARE = 0.2
"""The share of an agent's instances whose runs end without a score, rounded up."""


def _lost(rng: np.random.Generator, scores: Numbers, is_lowest: bool) -> NDArray[np.intp]:
    order = np.argsort(scores) if is_lowest else rng.permutation(len(scores))
    return order[: int(np.ceil(SHARE * len(scores)))]


@prints("Bounds of a mean with missing runs", "scores", "missing", "other agents", *(f"{n} instances" for n in SIZES))
def bounds(number: int) -> Rows:
    """Yield the share of means over all instances that lie within the bounds, and of those above the least mean.

    A fifth of the scores is missing. The agents are equally good, and the instances equally hard.
    """
    for (kind, draw), (way, is_lowest), others in product(DRAWS.items(), LOST.items(), (1, 4, 12)):
        cells = []
        for n in SIZES:
            inside = []
            for rng in generators(number, n, others, 50):
                scores, instances = draw(rng, n), np.arange(n)
                lost = _lost(rng, scores, is_lowest)
                seen = scores.copy()
                seen[lost] = np.nan
                board = [CellScores(0, COLUMN, instances, seen, missing=lost.astype(np.int64))]
                board += [CellScores(agent, COLUMN, instances, draw(rng, n)) for agent in range(1, others + 1)]
                ends = [
                    mean_bounds(seen[~np.isnan(seen)].tolist(), supposed.tolist()) or (1.0, 0.0)
                    for supposed in supposed_scores(board[0], lowest_scores(board))
                ]
                mean = float(scores.mean())
                inside.append([low - ROUNDING <= mean <= high + ROUNDING for low, high in ends])
            cells.append(", ".join(rate(hits) for hits in zip(*inside, strict=True)))
        yield [kind, way, str(others), *cells]


@prints("Verdicts with missing runs", "scores", "missing", "instances", "p < 0.05 without them",
        "the same at both extremes", "true difference between the extremes")  # fmt: skip
def verdicts(number: int) -> Rows:
    """Yield shares of comparisons of two equal agents, of which the second misses a fifth of its scores.

    That is: p < 0.05 over the other instances; both extremes also have p < 0.05 in the same direction; the difference
    over all instances lies between the extremes. Four other agents have finished all instances.
    """
    for (kind, draw), (way, is_lowest), n in product(DRAWS.items(), LOST.items(), SIZES[1:]):
        rows = []
        for rng in generators(number, n, 51):
            first, second, others = draw(rng, n), draw(rng, n), np.array([draw(rng, n) for _ in range(4)])
            lost = _lost(rng, second, is_lowest)
            kept = np.setdiff1d(np.arange(n), lost)
            finished = {
                agent: {int(index): ("BASIC", int(index), Side(100 * float(scores[index]), 1, 1)) for index in indices}
                for agent, scores, indices in ((1, first, np.arange(n)), (2, second, kept))
            }
            board = {
                int(index): {1: 100 * first[index], **{3 + row: 100 * other[index] for row, other in enumerate(others)}}
                for index in lost
            }
            missing = [(2, int(index)) for index in lost]
            extremes = Scores("pricing", finished, missing, Board(board)).extremes(1, 2)
            assert extremes is not None
            d = second - first
            is_decided = sign_flip_p(d[kept]) < LEVEL
            (low, low_p), (high, high_p) = extremes.worst, extremes.best
            is_firm = is_decided and max(low_p, high_p) < LEVEL and (low > 0) == (high > 0) == (d[kept].sum() > 0)
            rows.append((is_decided, is_firm, low <= 100 * d.mean() <= high))
        yield [kind, way, str(n), *(rate(hits) for hits in zip(*rows, strict=True))]
