"""The table of mean scores of an experiment."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from environments.declarations import ScoreFormat
from environments.generation import difficulty_title
from environments.registry import score_format
from infrastructure.text.formats import counted
from pages.dashboard.selectors.experiment_tables import TableRow, grouped, rows_by_agent
from runs.selectors.cells import RunGroup, difficulty_order, environment_order, environment_title
from stats.summaries import instance_means, mean, standard_error


@dataclass(frozen=True)
class ScoreCell:
    """Mean over instances and its standard error, as shares. `n` of `total` runs are scored, `solved` of them solved.

    Several runs on one instance count as their mean. `error` is None for fewer than two instances, `solved` if the
    environment does not define it.
    """

    mean: float | None
    error: float | None
    n: int
    total: int
    solved: int | None
    written: ScoreFormat

    @property
    def text(self) -> str:
        return self.written.text(self.mean)

    @property
    def error_text(self) -> str:
        return "" if self.error is None else self.written.text(self.error)

    @property
    def scored(self) -> str:
        """'7 of 12 runs scored, 3 solved'."""
        solved = "" if self.solved is None else f", {self.solved} solved"
        return f"{self.n} of {counted(self.total, 'run,runs')} scored{solved}"

    @property
    def heat(self) -> str:
        return self.written.heat(self.mean)


@dataclass(frozen=True)
class ScoreTable:
    """Mean scores by agent. environments: (title, number of its columns); difficulties: one heading per column"""

    environments: list[tuple[str, int]]
    difficulties: list[str]
    rows: list[TableRow]


def score_table(groups: list[RunGroup]) -> ScoreTable:
    columns = sorted(
        {(group.environment, group.difficulty) for group in groups},
        key=lambda column: (environment_order(column[0]), difficulty_order(column[1])),
    )
    widths = Counter(environment_title(environment) for environment, _ in columns)
    rows = []
    for row in rows_by_agent(groups):
        by_column = grouped(row.cells, lambda group: (group.environment, group.difficulty))
        rows.append(
            replace(row, cells=[_score_cell(by_column[column]) if column in by_column else None for column in columns])
        )
    return ScoreTable(list(widths.items()), [difficulty_title(difficulty) for _, difficulty in columns], rows)


def _score_cell(groups: list[RunGroup]) -> ScoreCell:
    runs = [(group.instances, group.scores) for group in groups]
    values = instance_means(*map(np.concatenate, zip(*runs, strict=True))).tolist()
    return ScoreCell(
        mean=mean(values),
        error=standard_error(values),
        n=sum(len(group.scores) for group in groups),
        total=sum(group.runs for group in groups),
        solved=sum(group.solved for group in groups) if any(group.judged for group in groups) else None,
        written=score_format(groups[0].environment, groups[0].variant),
    )
