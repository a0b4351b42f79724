"""Rank ranges: the best and worst possible rank of each row of a table, if only significant differences count."""

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, ROUNDING, t_p
from stats.paired import WILCOXON_FROM, holm

Ranks = tuple[int, int]


def rank_ranges(scores: NDArray[np.float64]) -> list[Ranks]:
    """The (best, worst) possible rank of each row, counted from 1.

    scores: shape (rows, instances), NaN if a row has no score

    All pairs of rows are compared by the paired t test on their common instances, and p is adjusted by Holm's method over
    all pairs. (Random sign flips cannot give a p small enough for many pairs.) A row's best rank is 1 + the number of
    significantly better rows. Its worst rank is the number of rows minus the number of significantly worse rows. Pairs
    with too few instances for the test are not separated.
    """
    count = len(scores)
    pairs: list[tuple[int, int]] = []
    p_values: list[float] = []
    for first in range(count - 1):
        differences = scores[first + 1 :] - scores[first]
        differences[np.abs(differences) < ROUNDING] = 0
        tested = np.flatnonzero(np.count_nonzero(np.nan_to_num(differences), axis=-1) >= WILCOXON_FROM)
        p_values += t_p(differences[tested]).tolist()
        is_better = np.nansum(differences[tested], axis=-1) > 0
        others = (first + 1 + tested).tolist()
        pairs += ((other, first) if better else (first, other) for other, better in zip(others, is_better, strict=True))
    better, worse = [0] * count, [0] * count
    for (winner, loser), p in zip(pairs, holm(p_values), strict=True):
        if p < LEVEL:
            better[loser] += 1
            worse[winner] += 1
    return [(1 + better[row], count - worse[row]) for row in range(count)]
