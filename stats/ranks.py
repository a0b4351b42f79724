"""Rank ranges: the best and worst possible rank of each row of a table, if only significant differences count."""

import numpy as np
from numpy.typing import NDArray

from stats.means import EXACT, LEVEL, ROUNDING, t_p
from stats.paired import WILCOXON_FROM, holm

Ranks = tuple[int, int]


def rank_ranges(is_better: NDArray[np.bool_], peers: NDArray[np.bool_] | None = None) -> list[Ranks]:
    """The (best, worst) possible rank of each row, counted from 1.

    A row's best rank is 1 + the number of better peers. Its worst rank is the number of peers minus the number of worse
    ones.

    is_better: result of `separations`
    peers: shape (rows, rows), the rows among which each row is ranked, itself included; None for all
    """
    peers = np.ones_like(is_better) if peers is None else peers
    better, worse = (is_better.T & peers).sum(axis=1), (is_better & peers).sum(axis=1)
    return list(zip((1 + better).tolist(), (peers.sum(axis=1) - worse).tolist(), strict=True))


def separations(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each row is significantly better than each other row, shape (rows, rows).

    scores: shape (rows, instances), NaN if a row has no score

    All pairs of rows are compared by the paired t test on their common instances, and p is adjusted by Holm's method over
    all pairs. (Random sign flips cannot give a p small enough for many pairs.) Below EXACT differences, p is at least the
    smallest one of the sign-flip test, since few differences may be alike by chance. Pairs with too few instances for the
    test are not separated.
    """
    is_better = np.zeros((len(scores), len(scores)), dtype=np.bool_)
    pairs: list[tuple[int, int]] = []
    p_values: list[float] = []
    for first in range(len(scores) - 1):
        differences = scores[first + 1 :] - scores[first]
        differences[np.abs(differences) < ROUNDING] = 0
        unequal = np.count_nonzero(np.nan_to_num(differences), axis=-1)
        tested = np.flatnonzero(unequal >= WILCOXON_FROM)
        least = np.where(unequal[tested] < EXACT, 2.0 ** (1 - unequal[tested]), 0.0)
        p_values += np.maximum(t_p(differences[tested]), least).tolist()
        has_more = np.nansum(differences[tested], axis=-1) > 0
        others = (first + 1 + tested).tolist()
        pairs += ((other, first) if more else (first, other) for other, more in zip(others, has_more, strict=True))
    for (winner, loser), p in zip(pairs, holm(p_values), strict=True):
        is_better[winner, loser] = p < LEVEL
    return is_better
