"""Mean scores of an experiment's finished runs, by agent and by environment and difficulty."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from environments.declarations import ScoreFormat
from environments.registry import score_format, variant_words
from runs.selectors.cells import RunCell, difficulty_order, environment_order, environment_title


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
class ScoreRow:
    agent: str
    variant: str
    cells: list[ScoreCell | None]


@dataclass(frozen=True)
class ScoreTable:
    """environments: (title, number of its columns); difficulties: one heading a column"""

    environments: list[tuple[str, int]]
    difficulties: list[str]
    rows: list[ScoreRow]


def score_table(cells: list[RunCell]) -> ScoreTable:
    places = sorted(
        {(cell.environment, cell.difficulty) for cell in cells},
        key=lambda place: (environment_order(place[0]), difficulty_order(place[1])),
    )
    widths: dict[str, int] = defaultdict(int)
    for environment, _ in places:
        widths[environment_title(environment)] += 1
    groups: dict[tuple[int, str], dict[tuple[str, str], list[RunCell]]] = defaultdict(lambda: defaultdict(list))
    names = {}
    for cell in cells:
        groups[cell.agent_id, cell.variant][cell.environment, cell.difficulty].append(cell)
        names[cell.agent_id] = cell.agent
    many_variants = len({cell.variant for cell in cells}) > 1
    rows = [
        ScoreRow(
            names[agent],
            variant_words(next(iter(group))[0], variant) if many_variants else "",
            [_score_cell(group[place]) if place in group else None for place in places],
        )
        for (agent, variant), group in groups.items()
    ]
    return ScoreTable(list(widths.items()), [difficulty for _, difficulty in places], rows)


def _score_cell(cells: list[RunCell]) -> ScoreCell:
    scored = [cell for cell in cells if cell.is_scored]
    values = [cell.score for cell in scored if cell.score is not None]
    judged = [cell.solved for cell in scored if cell.solved is not None]
    mean = math.fsum(values) / len(values) if values else None
    error = None
    if mean is not None and len(values) > 1:
        variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
        error = math.sqrt(variance / len(values))
    written = score_format(cells[0].environment, cells[0].variant)
    return ScoreCell(mean, error, len(values), len(cells), sum(judged) if judged else None, written)
