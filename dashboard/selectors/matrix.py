"""The matrix of an experiment: agents down, instances across, one block for each environment."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from environments.registry import score_format, variant_words
from runs.models import RunState
from runs.selectors.cells import RunCell, difficulty_order, environment_order, environment_title

WIDE = 40
"""Columns beyond which cells are narrow and show no number."""

SIGNS: dict[str, str] = {
    RunState.WAITING: "…",
    RunState.PAUSED: "‖",
    RunState.STALLED: "!",
    RunState.ERRORED: "×",
    RunState.CANCELLED: "–",
}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """css: classes for colour and fill; text: visible text; label: text for screen readers and the tooltip"""

    run_id: int
    css: str
    text: str
    label: str


@dataclass(frozen=True)
class MatrixRow:
    agent: str
    variant: str
    cells: list[MatrixCell | None]


@dataclass(frozen=True)
class Column:
    difficulty: str
    seed: int
    starts_block: bool


@dataclass(frozen=True)
class Block:
    """difficulties: (name, number of seeds) in the order of the columns"""

    environment: str
    difficulties: list[tuple[str, int]]
    columns: list[Column]
    rows: list[MatrixRow]

    @property
    def is_wide(self) -> bool:
        return len(self.columns) > WIDE


def matrix(cells: list[RunCell]) -> list[Block]:
    by_environment: dict[str, list[RunCell]] = defaultdict(list)
    for cell in cells:
        by_environment[cell.environment].append(cell)
    return [_block(name, by_environment[name]) for name in sorted(by_environment, key=environment_order)]


def _block(environment: str, cells: list[RunCell]) -> Block:
    places = sorted({(cell.difficulty, cell.seed) for cell in cells}, key=lambda p: (difficulty_order(p[0]), *p))
    sizes: dict[str, int] = defaultdict(int)
    columns: list[Column] = []
    for difficulty, seed in places:
        columns.append(Column(difficulty, seed, not sizes[difficulty] and bool(columns)))
        sizes[difficulty] += 1
    many_variants = len({cell.variant for cell in cells}) > 1
    by_row: dict[tuple[int, str], dict[tuple[str, int], RunCell]] = defaultdict(dict)
    names = {}
    for cell in cells:
        by_row[cell.agent_id, cell.variant][cell.difficulty, cell.seed] = cell
        names[cell.agent_id] = cell.agent
    title = environment_title(environment)
    rows = [
        MatrixRow(
            names[agent],
            variant_words(environment, variant) if many_variants else "",
            [_cell(row[place], title) if place in row else None for place in places],
        )
        for (agent, variant), row in by_row.items()
    ]
    return Block(title, list(sizes.items()), columns, rows)


def _cell(cell: RunCell, title: str) -> MatrixCell:
    prompt = "" if cell.variant == "main" else f", {variant_words(cell.environment, cell.variant)}"
    place = f"{cell.agent}, {title} {cell.difficulty}, seed {cell.seed}{prompt}"
    if cell.state == RunState.FINISHED:
        if cell.score is None:
            return MatrixCell(cell.id, "finished unscored", "✓", f"{place}: finished, not scored")
        written = score_format(cell.environment, cell.variant)
        label = f"{place}: {written.label.lower()} {written.text(cell.score)}"
        return MatrixCell(cell.id, f"finished {written.heat(cell.score)}", written.short(cell.score), label)
    fill = min(20, round(cell.progress * 20))
    state = RunState(cell.state).label.lower()
    played = f", {cell.played} of {cell.periods} periods" if cell.played else ""
    last = f", last period {cell.last_quality * 100:.1f}" if cell.played and cell.last_quality is not None else ""
    return MatrixCell(
        cell.id, f"{cell.state} fill-{fill}", SIGNS.get(cell.state, ""), f"{place}: {state}{played}{last}"
    )
