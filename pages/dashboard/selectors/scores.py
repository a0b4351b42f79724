"""Mean scores of an experiment's finished runs, by agent and by environment and difficulty."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from environments.declarations import ScoreFormat
from environments.registry import score_format
from pages.dashboard.selectors.matrix import TableRow, rows_by_agent
from runs.selectors.cells import RunGroup, difficulty_order, environment_order, environment_title
from stats.summaries import mean, standard_error


@dataclass(frozen=True)
class ScoreCell:
    """Mean and standard error as shares; of `total` runs, `n` are scored and `solved` solved.

    `error` is None for fewer than two runs; `solved` is None if the environment does not define it.
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
    def heat(self) -> str:
        return self.written.heat(self.mean)


@dataclass(frozen=True)
class ScoreTable:
    """environments: (title, number of its columns); difficulties: one heading a column"""

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
    for agent, variant, agent_groups in rows_by_agent(groups):
        groups_by_column: dict[tuple[str, str], list[RunGroup]] = defaultdict(list)
        for group in agent_groups:
            groups_by_column[group.environment, group.difficulty].append(group)
        row = [_score_cell(groups_by_column[column]) if column in groups_by_column else None for column in columns]
        rows.append(TableRow(agent, variant, row))
    return ScoreTable(list(widths.items()), [difficulty for _, difficulty in columns], rows)


def _score_cell(groups: list[RunGroup]) -> ScoreCell:
    values = [score for group in groups for score in group.scores.tolist()]
    solved = sum(group.solved for group in groups) if any(group.judged for group in groups) else None
    written = score_format(groups[0].environment, groups[0].variant)
    total = sum(group.runs for group in groups)
    return ScoreCell(mean(values), standard_error(values), len(values), total, solved, written)
