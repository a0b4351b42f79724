"""The ranks of the rows of the benchmark table, among the rows that have scores in the same columns. Pure functions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.ranks import Ranks, rank_ranges, separations


class Contestant(NamedTuple):
    """What ranks a row.

    columns: the columns in which it has a mean
    overall: its mean over these columns, None without one
    instances, scores: ids of its instances and their scores as shares, NaN if unknown; None for a row without runs
    """

    columns: frozenset[int]
    overall: float | None
    instances: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None


class Standing(NamedTuple):
    """The rank of a row among the rows that have scores in the same columns.

    rank: 1 + the number of these rows with a higher mean; None for a row alone
    rank_of: number of these rows, this one included
    ranks: the best and the worst rank that no test excludes, see `stats.ranks`; rows without runs have no test. None if
        the row has no runs, or if no other such row has
    ranked_among: `rank_of`; 0 without `ranks`
    """

    rank: int | None = None
    rank_of: int = 0
    ranks: Ranks | None = None
    ranked_among: int = 0


def standings(rows: Sequence[Contestant]) -> list[Standing]:
    ranges = _tested(rows)
    result = []
    for row, (ranks, among) in zip(rows, ranges, strict=True):
        means = [other.overall for other in rows if other.columns == row.columns and other.overall is not None]
        if row.overall is None or len(means) < 2:
            result.append(Standing())
            continue
        higher = sum(mean > row.overall for mean in means)
        if ranks is None or among < 2:
            result.append(Standing(1 + higher, len(means)))
            continue
        untested = len(means) - among
        result.append(Standing(1 + higher, len(means), (ranks[0], ranks[1] + untested), len(means)))
    return result


def _tested(rows: Sequence[Contestant]) -> list[tuple[Ranks | None, int]]:
    """For each row, the ranks that the tests allow, and among how many rows with runs."""
    played = [
        (index, row.instances, row.scores)
        for index, row in enumerate(rows)
        if row.instances is not None and row.scores is not None and row.overall is not None
    ]
    result: list[tuple[Ranks | None, int]] = [(None, 0)] * len(rows)
    if len(played) < 2:
        return result
    instances = np.unique(np.concatenate([ids for _, ids, _ in played]))
    matrix = np.full((len(played), len(instances)), np.nan)
    for number, (_, ids, scores) in enumerate(played):
        matrix[number, np.searchsorted(instances, ids)] = scores
    columns = [rows[index].columns for index, *_ in played]
    peers = np.array([[own == other for other in columns] for own in columns])
    ranges, numbers = rank_ranges(separations(matrix), peers), peers.sum(axis=1).tolist()
    for (index, *_), ranks, among in zip(played, ranges, numbers, strict=True):
        result[index] = (ranks, among)
    return result
