"""The tables of an experiment with a row for each agent: the matrix of runs, and mean scores."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from environments.declarations import ScoreFormat
from environments.generation import difficulty_title
from environments.registry import BENCHMARKS, is_unusual, score_format, variant_label
from runs.models import RunState
from runs.models.runs import shown_state
from runs.selectors.cells import (
    RunCell,
    RunGroup,
    difficulty_order,
    environment_order,
    environment_title,
    progress_of_groups,
)
from runs.selectors.progress import Progress

Cell = TypeVar("Cell", RunCell, RunGroup)
Key = TypeVar("Key")

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
    """A column of a matrix: a run on an instance. Several runs of an agent on one instance are side by side."""

    seed: int
    starts_block: bool


@dataclass(frozen=True)
class Block:
    """The part of a matrix for one environment.

    difficulties: (name, number of columns) in the order of the columns; is_wide: whether it has more than WIDE columns
    """

    environment: str
    difficulties: list[tuple[str, int]]
    columns: list[MatrixColumn]
    rows: list[TableRow]
    is_wide: bool


def grouped(cells: Iterable[Cell], key: Callable[[Cell], Key]) -> dict[Key, list[Cell]]:
    """The cells by their key, in the order of the first cell of each."""
    groups: dict[Key, list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[key(cell)].append(cell)
    return groups


def by_environment(cells: list[Cell]) -> list[tuple[str, list[Cell]]]:
    """(environment, its cells), in the order of environments."""
    return sorted(grouped(cells, lambda cell: cell.environment).items(), key=lambda group: environment_order(group[0]))


def matrix(cells: list[RunCell]) -> list[Block]:
    return [_block(environment, own) for environment, own in by_environment(cells)]


def late_blocks(groups: list[RunGroup]) -> list[tuple[str, list[Block], Progress]]:
    """(environment, block without cells, its progress) of each block, for a matrix too large to be sent with its page.

    An empty block is as high as the loaded one, so that nothing moves.
    """
    blocks = []
    for name, own in by_environment(groups):
        rows = rows_by_agent(own)
        runs = [sum(group.runs for group in row.cells) for row in rows]
        first = min((group.difficulty for group in own), key=difficulty_order)
        empty = [replace(row, cells=[]) for row in rows]
        blocks.append(
            (name, [Block(environment_title(name), [(first, 1)], [], empty, max(runs) > WIDE)], progress_of_groups(own))
        )
    return blocks


def compared_scores(groups: list[RunGroup]) -> list[tuple[str, str, str, int]]:
    """(title, environment, variant, agents with a score) of each chart of scores. Litmus scores have their own panel."""
    benchmarks = [group for group in groups if group.environment in BENCHMARKS]
    charts = grouped(benchmarks, lambda group: (group.environment, group.variant))
    has_several_variants = len({variant for _, variant in charts}) > 1
    titled = []
    for environment, variant in sorted(charts, key=lambda key: (environment_order(key[0]), key[1])):
        is_named = has_several_variants or is_unusual(environment, variant)
        title = environment_title(environment) + (f", {variant_label(environment, variant)}" if is_named else "")
        own = charts[environment, variant]
        agents = {group.agent_id for group in own if group.state == RunState.FINISHED}
        titled.append((title, environment, variant, len(agents)))
    return titled


def _block(environment: str, cells: list[RunCell]) -> Block:
    agent_rows = [(row, _by_column(row.cells)) for row in rows_by_agent(cells)]
    keys = {key for _, by_column in agent_rows for key in by_column}
    column_keys = sorted(keys, key=lambda key: (difficulty_order(key[0]), *key))
    sizes = Counter(difficulty for difficulty, *_ in column_keys)
    columns = [
        MatrixColumn(seed, starts_block=difficulty != before)
        for (before, *_), (difficulty, seed, _) in zip([column_keys[0], *column_keys], column_keys, strict=False)
    ]
    title = environment_title(environment)
    rows = []
    for row, by_column in agent_rows:
        variant = row.cells[0].variant
        written = score_format(environment, variant)
        prompt = "" if variant == "main" else f", {variant_label(environment, variant)}"
        named = {key: f"{prompt}, run {key[-1]}" if key[-1] > 1 else prompt for key in by_column}
        matrix_cells = {key: _cell(cell, title, named[key], written) for key, cell in by_column.items()}
        rows.append(replace(row, cells=[matrix_cells.get(key) for key in column_keys]))
    return Block(title, list(sizes.items()), columns, rows, len(columns) > WIDE)


def _by_column(cells: Iterable[RunCell]) -> dict[tuple[str, int, int], RunCell]:
    """The runs of a row by difficulty, seed, and number among the runs on this instance, from 1."""
    numbers: Counter[tuple[str, int]] = Counter()
    by_column = {}
    for cell in cells:
        numbers[cell.difficulty, cell.seed] += 1
        by_column[cell.difficulty, cell.seed, numbers[cell.difficulty, cell.seed]] = cell
    return by_column


def rows_by_agent(cells: Iterable[Cell]) -> list[TableRow]:
    """The rows of a table with the runs of each.

    The variant is empty if all runs have the same prompt of the paper.
    """
    rows = grouped(cells, lambda cell: (cell.agent_id, cell.variant))
    many_variants = len({variant for _, variant in rows}) > 1
    return [
        TableRow(
            own[0].agent,
            variant_label(own[0].environment, variant)
            if many_variants or is_unusual(own[0].environment, variant)
            else "",
            own,
        )
        for (_, variant), own in rows.items()
    ]


def _cell(cell: RunCell, title: str, prompt: str, written: ScoreFormat) -> MatrixCell:
    cell_name = f"{cell.agent}, {title} {difficulty_title(cell.difficulty)}, seed {cell.seed}{prompt}"
    if cell.state == RunState.FINISHED:
        if cell.score is None:
            return MatrixCell(cell.id, "finished unscored", "✓", f"{cell_name}: finished, not scored")
        label = f"{cell_name}: {written.label.lower()} {written.text(cell.score)}"
        return MatrixCell(cell.id, f"finished {written.heat(cell.score)}", written.short(cell.score), label)
    label = f"{cell_name}: {shown_state(cell.state, cell.pause_cause).label.lower()}"
    if cell.periods_played:
        label += f", {cell.periods_played} of {cell.periods} periods"
        label += "" if cell.last_quality is None else f", last period {cell.last_quality * 100:.1f}"
    css = f"{cell.state} fill-{min(20, round(cell.progress * 20))}"
    return MatrixCell(cell.id, css, SIGNS.get(cell.state, ""), label)
