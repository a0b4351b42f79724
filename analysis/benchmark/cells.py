"""The scores of one agent in one column of the benchmark table, and their summary. Pure functions over records."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analysis.base.table import BenchmarkColumn
from environments.registry import ENVIRONMENTS
from stats.summaries import Summary, summary


@dataclass(frozen=True)
class CellScores:
    """The runs of one agent in one column.

    instances, scores: id of each instance, and the mean of its finished runs as a share, NaN if none has finished
    solved: instances that every finished run solved, None if the environment has no solutions
    scored, left_out: number of runs with a score, and without one
    is_imported: whether a run was imported
    missing: ids of instances of which a run ended without a score and none has one
    reached: the best quality that runs of each missing instance had reached, NaN unless scores cannot fall below it
    """

    agent_id: int
    column: BenchmarkColumn
    instances: NDArray[np.int64]
    scores: NDArray[np.float64]
    solved: int | None = None
    scored: int = 0
    left_out: int = 0
    is_imported: bool = False
    missing: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    reached: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @property
    def is_known(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.scores)


def summaries_of(cells: Sequence[CellScores]) -> list[Summary]:
    """The summaries of the cells of a table. Missing scores are bounded by those of all its agents."""
    return [cell_summary(cell, worst.tolist()) for cell, worst in zip(cells, _worst_scores(cells), strict=True)]


def cell_summary(cell: CellScores, worst: Sequence[float] = ()) -> Summary:
    """Summary of one agent's instances in one cell. worst: the worst supposed score of each missing instance"""
    values = cell.scores[cell.is_known].tolist()
    return summary(values, of=len(cell.instances), solved=cell.solved, left_out=cell.left_out, worst=worst)


def _worst_scores(cells: Sequence[CellScores]) -> list[NDArray[np.float64]]:
    """For each cell, the worst supposed score of each missing instance, as a share.

    It is what the runs had reached where scores cannot fall below it, else the lowest score that any of the agents has on
    the instance, else the floor of the environment.
    """
    missing = np.unique(np.concatenate([cell.missing for cell in cells])) if cells else np.empty(0)
    if not len(missing):
        return [np.empty(0) for _ in cells]
    instances, scores = (np.concatenate(parts) for parts in zip(*((c.instances, c.scores) for c in cells), strict=True))
    counts = ~np.isnan(scores) & np.isin(instances, missing)
    lowest = np.full(len(missing), np.inf)
    np.minimum.at(lowest, np.searchsorted(missing, instances[counts]), scores[counts])
    return [_worst(cell, lowest[np.searchsorted(missing, cell.missing)]) for cell in cells]


def _worst(cell: CellScores, lowest: NDArray[np.float64]) -> NDArray[np.float64]:
    supposed = np.where(np.isinf(lowest), ENVIRONMENTS[cell.column.environment].lowest_score.floor, lowest)
    return np.where(np.isnan(cell.reached), supposed, cell.reached) if len(cell.reached) else supposed
