"""The tables of an experiment with a row for each agent: the matrix of runs, and mean scores."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, TypeVar

from environments.declarations import ScoreFormat
from environments.prompts.variants import texts_slug
from environments.registry import BENCHMARKS, score_format, variant_label
from runs.models import RunState
from runs.models.runs import state_label
from runs.selectors.cells import RunCell, RunGroup, difficulty_order, environment_order, environment_title
from stats.summaries import mean, standard_error

Cell = TypeVar("Cell", RunCell, RunGroup)

WIDE = 40
"""With more columns than this, cells are narrow and show no number."""

SIGNS: dict[str, str] = {
    RunState.WAITING: "…",
    RunState.PAUSED: "‖",
    RunState.STALLED: "!",
    RunState.ERRORED: "×",
    RunState.CANCELLED: "–",
}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A run in the matrix.

    css: classes for colour and fill; text: visible text; label: for screen readers and the tooltip
    """

    run_id: int
    css: str
    text: str
    label: str


@dataclass(frozen=True)
class TableRow:
    """An agent and its cells. variant: name of the prompt, if the table has several"""

    agent: str
    variant: str
    cells: list[Any]


@dataclass(frozen=True)
class MatrixColumn:
    difficulty: str
    seed: int
    starts_block: bool


@dataclass(frozen=True)
class Block:
    """The part of a matrix for one environment.

    difficulties: (name, number of seeds) in the order of the columns; is_wide: whether it has more than WIDE columns
    """

    environment: str
    difficulties: list[tuple[str, int]]
    columns: list[MatrixColumn]
    rows: list[TableRow]
    is_wide: bool


def matrix(cells: list[RunCell]) -> list[Block]:
    by_environment: dict[str, list[RunCell]] = defaultdict(list)
    for cell in cells:
        by_environment[cell.environment].append(cell)
    return [_block(name, by_environment[name]) for name in sorted(by_environment, key=environment_order)]


def late_blocks(groups: list[RunGroup]) -> list[tuple[str, list[Block], int]]:
    """(environment, block without cells, runs) of each block, for a matrix too large to be sent with its page.

    An empty block is as high as the loaded one, so that nothing moves.
    """
    by_environment: dict[str, list[RunGroup]] = defaultdict(list)
    for group in groups:
        by_environment[group.environment].append(group)
    blocks = []
    for name in sorted(by_environment, key=environment_order):
        rows = rows_by_agent(by_environment[name])
        runs = [sum(group.runs for group in row_groups) for _, _, row_groups in rows]
        first = min((group.difficulty for group in by_environment[name]), key=difficulty_order)
        empty = [TableRow(agent, variant, []) for agent, variant, _ in rows]
        blocks.append((name, [Block(environment_title(name), [(first, 1)], [], empty, max(runs) > WIDE)], sum(runs)))
    return blocks


def compared_scores(groups: list[RunGroup]) -> list[tuple[str, str, str, int]]:
    """(title, environment, variant, agents with a score) of each chart of scores. Litmus scores have their own panel."""
    agents_by_chart: dict[tuple[str, str], set[int]] = defaultdict(set)
    for group in groups:
        if group.environment in BENCHMARKS:
            finished_by = agents_by_chart[group.environment, group.variant]
            if group.state == RunState.FINISHED:
                finished_by.add(group.agent_id)
    has_several_variants = len({variant for _, variant in agents_by_chart}) > 1
    titled = []
    for environment, variant in sorted(agents_by_chart, key=lambda key: (environment_order(key[0]), key[1])):
        variant_suffix = (
            f", {variant_label(environment, variant)}" if has_several_variants or texts_slug(variant) else ""
        )
        agents = len(agents_by_chart[environment, variant])
        titled.append((f"{environment_title(environment)}{variant_suffix}", environment, variant, agents))
    return titled


def _block(environment: str, cells: list[RunCell]) -> Block:
    column_keys = sorted({(cell.difficulty, cell.seed) for cell in cells}, key=lambda p: (difficulty_order(p[0]), *p))
    sizes = Counter(difficulty for difficulty, _ in column_keys)
    columns = []
    for (before, _), (difficulty, seed) in zip([column_keys[0], *column_keys], column_keys, strict=False):
        columns.append(MatrixColumn(difficulty, seed, starts_block=difficulty != before))
    title = environment_title(environment)
    rows = []
    for agent, variant, agent_cells in rows_by_agent(cells):
        written = score_format(environment, agent_cells[0].variant)
        prompt = "" if agent_cells[0].variant == "main" else f", {variant_label(environment, agent_cells[0].variant)}"
        row_cells = {(cell.difficulty, cell.seed): _cell(cell, title, prompt, written) for cell in agent_cells}
        rows.append(TableRow(agent, variant, [row_cells.get(column) for column in column_keys]))
    return Block(title, list(sizes.items()), columns, rows, len(columns) > WIDE)


def rows_by_agent(cells: list[Cell]) -> list[tuple[str, str, list[Cell]]]:
    """(agent, variant, runs) of each row of a table.

    The variant is empty if all runs have the same prompt of the paper.
    """
    rows: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        rows[cell.agent_id, cell.variant].append(cell)
    many_variants = len({variant for _, variant in rows}) > 1
    return [
        (own[0].agent, variant_label(own[0].environment, variant) if many_variants or texts_slug(variant) else "", own)
        for (_, variant), own in rows.items()
    ]


def _cell(cell: RunCell, title: str, prompt: str, written: ScoreFormat) -> MatrixCell:
    cell_name = f"{cell.agent}, {title} {cell.difficulty}, seed {cell.seed}{prompt}"
    if cell.state == RunState.FINISHED:
        if cell.score is None:
            return MatrixCell(cell.id, "finished unscored", "✓", f"{cell_name}: finished, not scored")
        label = f"{cell_name}: {written.label.lower()} {written.text(cell.score)}"
        return MatrixCell(cell.id, f"finished {written.heat(cell.score)}", written.short(cell.score), label)
    fill = min(20, round(cell.progress * 20))
    state = state_label(cell.state, cell.pause_cause).lower()
    progress = f", {cell.periods_played} of {cell.periods} periods" if cell.periods_played else ""
    last = (
        f", last period {cell.last_quality * 100:.1f}" if cell.periods_played and cell.last_quality is not None else ""
    )
    return MatrixCell(
        cell.id, f"{cell.state} fill-{fill}", SIGNS.get(cell.state, ""), f"{cell_name}: {state}{progress}{last}"
    )


@dataclass(frozen=True)
class ScoreCell:
    """Mean and standard error of runs, as shares. `n` of `total` runs are scored, `solved` of them solved.

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
