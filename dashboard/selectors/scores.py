"""Mean scores of an experiment's finished runs, by agent and by environment and difficulty."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from dashboard.selectors.matrix import TableRow, rows_by_agent
from environments.declarations import ScoreFormat
from environments.registry import score_format
from runs.selectors.cells import RunCell, difficulty_order, environment_order, environment_title
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


def score_table(cells: list[RunCell]) -> ScoreTable:
    places = sorted(
        {(cell.environment, cell.difficulty) for cell in cells},
        key=lambda place: (environment_order(place[0]), difficulty_order(place[1])),
    )
    widths = Counter(environment_title(environment) for environment, _ in places)
    rows = []
    for agent, variant, own in rows_by_agent(cells):
        by_place: dict[tuple[str, str], list[RunCell]] = defaultdict(list)
        for cell in own:
            by_place[cell.environment, cell.difficulty].append(cell)
        row = [_score_cell(by_place[place]) if place in by_place else None for place in places]
        rows.append(TableRow(agent, variant, row))
    return ScoreTable(list(widths.items()), [difficulty for _, difficulty in places], rows)


def _score_cell(cells: list[RunCell]) -> ScoreCell:
    scored = [cell for cell in cells if cell.is_scored]
    values = [cell.score for cell in scored if cell.score is not None]
    judged = [cell.solved for cell in scored if cell.solved is not None]
    written = score_format(cells[0].environment, cells[0].variant)
    return ScoreCell(
        mean(values), standard_error(values), len(values), len(cells), sum(judged) if judged else None, written
    )
