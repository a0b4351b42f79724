"""Rank ranges: which places a row of a table may have, where tests do not separate it from others."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stats.intervals import LEVEL
from stats.paired import WILCOXON_FROM, holm, t_p

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
    pairs: Sequence[tuple[int, int]] = list(combinations(range(count), 2))
    known = ~np.isnan(scores)
    differences = [scores[j][known[i] & known[j]] - scores[i][known[i] & known[j]] for i, j in pairs]
    tested = [place for place, d in enumerate(differences) if np.count_nonzero(d) >= WILCOXON_FROM]
    better, worse = [0] * count, [0] * count
    for place, p in zip(tested, holm([t_p(differences[place]) for place in tested]), strict=True):
        if p < LEVEL:
            first, second = pairs[place]
            winner, loser = (second, first) if differences[place].mean() > 0 else (first, second)
            better[loser] += 1
            worse[winner] += 1
    return [(1 + better[row], count - worse[row]) for row in range(count)]
