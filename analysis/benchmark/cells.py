"""The scores of one agent in one column of the benchmark table, and their summary. Pure functions over records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analysis.base.table import BenchmarkColumn
from environments.registry import ENVIRONMENTS
from infrastructure.text.formats import score
from stats.summaries import Summary, summary

NOTHING = np.empty(0)


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
    """The summaries of the cells of a table. The scores of all its agents say what a missing one may be at worst."""
    lowest = lowest_scores(cells)
    return [cell_summary(cell, *supposed_scores(cell, lowest)) for cell in cells]


def cell_summary(
    cell: CellScores, worst: NDArray[np.float64] = NOTHING, floors: NDArray[np.float64] = NOTHING
) -> Summary:
    """Summary of one agent's instances in one cell. worst, floors: result of `supposed_scores`"""
    return summary(
        cell.scores[cell.is_known].tolist(),
        of=len(cell.instances),
        solved=cell.solved,
        left_out=cell.left_out,
        worst=worst.tolist(),
        floors=floors.tolist(),
    )


def lowest_scores(cells: Sequence[CellScores]) -> dict[int, float]:
    """The lowest score of any agent on each instance with a missing score that an agent has finished, by its id."""
    missing = np.unique(np.concatenate([cell.missing for cell in cells])) if cells else np.empty(0)
    if not len(missing):
        return {}
    instances = np.concatenate([cell.instances for cell in cells])
    scores = np.concatenate([cell.scores for cell in cells])
    counts = ~np.isnan(scores) & np.isin(instances, missing)
    lowest: dict[int, float] = {}
    for instance, value in zip(instances[counts].tolist(), scores[counts].tolist(), strict=True):
        lowest[instance] = min(value, lowest.get(instance, value))
    return lowest


def supposed_scores(cell: CellScores, lowest: Mapping[int, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(worst supposed score, floor) of the missing scores of a cell, as shares.

    Where a score cannot fall below what the runs had reached, this is both. Else the worst is the lowest score of any agent
    on the instance, or the floor of the environment if none has one.
    """
    floor = ENVIRONMENTS[cell.column.environment].lowest_score.floor
    worst = np.array([lowest.get(instance, floor) for instance in cell.missing.tolist()])
    floors = np.minimum(worst, floor)
    if not len(cell.reached):
        return worst, floors
    return np.where(np.isnan(cell.reached), worst, cell.reached), np.where(np.isnan(cell.reached), floors, cell.reached)


def bounds(summary: Summary) -> str:
    """'[61.2, 78.0]' for the mean with missing scores at their worst and at their best; empty if none is missing."""
    return "[{}, {}]".format(*map(score, summary.bounds)) if summary.bounds else ""
