"""Rank ranges: which places a row of a table may have, where tests do not separate it from others."""

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, ROUNDING, t_p
from stats.paired import WILCOXON_FROM, holm

Ranks = tuple[int, int]


def rank_ranges(scores: NDArray[np.float64]) -> list[Ranks]:
    """(best, worst) rank of each row, from 1.

    scores: shape (rows, instances), NaN where a row has no score

    Every two rows are compared by the paired t test over the instances that both have, and p is adjusted by Holm's
    method over all pairs. (Random flips of signs cannot give a p small enough for many pairs.) A row's best rank is 1 +
    the rows that are significantly better; its worst rank is the number of rows minus those that are significantly
    worse. Pairs with too few instances for the test are not separated.
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
