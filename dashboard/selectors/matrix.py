"""The matrix of an experiment: agents down, instances across, one block for each environment."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, TypeVar

from environments.declarations import ScoreFormat
from environments.prompts.variants import texts_slug
from environments.registry import BENCHMARKS, score_format, variant_words
from runs.models import RunState
from runs.models.runs import state_label
from runs.selectors.cells import RunCell, RunGroup, difficulty_order, environment_order, environment_title

Cell = TypeVar("Cell", RunCell, RunGroup)

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
class TableRow:
    """An agent and its cells; `variant` names the prompt if a table has several."""

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
    """difficulties: (name, number of seeds) in the order of the columns; is_wide: whether these are more than WIDE"""

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
    """(environment, block without cells, runs) of each block of a matrix that is too large to be sent with its page.

    The block is as high as the one that takes its place, so that nothing moves.
    """
    by_environment: dict[str, list[RunGroup]] = defaultdict(list)
    for group in groups:
        by_environment[group.environment].append(group)
    found = []
    for name in sorted(by_environment, key=environment_order):
        rows = rows_by_agent(by_environment[name])
        runs = [sum(group.runs for group in own) for _, _, own in rows]
        first = min((group.difficulty for group in by_environment[name]), key=difficulty_order)
        empty = [TableRow(agent, variant, []) for agent, variant, _ in rows]
        found.append((name, [Block(environment_title(name), [(first, 1)], [], empty, max(runs) > WIDE)], sum(runs)))
    return found


def compared_scores(groups: list[RunGroup]) -> list[tuple[str, str, str, int]]:
    """(title, environment, variant, agents with a score) of every chart of scores; litmus scores have their own panel."""
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for group in groups:
        if group.environment in BENCHMARKS:
            finished_by = places[group.environment, group.variant]
            if group.state == RunState.FINISHED:
                finished_by.add(group.agent_id)
    many = len({variant for _, variant in places}) > 1
    titled = []
    for environment, variant in sorted(places, key=lambda place: (environment_order(place[0]), place[1])):
        words = f", {variant_words(environment, variant)}" if many or texts_slug(variant) else ""
        agents = len(places[environment, variant])
        titled.append((f"{environment_title(environment)}{words}", environment, variant, agents))
    return titled


def _block(environment: str, cells: list[RunCell]) -> Block:
    places = sorted({(cell.difficulty, cell.seed) for cell in cells}, key=lambda p: (difficulty_order(p[0]), *p))
    sizes = Counter(difficulty for difficulty, _ in places)
    columns = []
    for (before, _), (difficulty, seed) in zip([places[0], *places], places, strict=False):
        columns.append(MatrixColumn(difficulty, seed, starts_block=difficulty != before))
    title = environment_title(environment)
    rows = []
    for agent, variant, own in rows_by_agent(cells):
        written = score_format(environment, own[0].variant)
        prompt = "" if own[0].variant == "main" else f", {variant_words(environment, own[0].variant)}"
        found = {(cell.difficulty, cell.seed): _cell(cell, title, prompt, written) for cell in own}
        rows.append(TableRow(agent, variant, [found.get(place) for place in places]))
    return Block(title, list(sizes.items()), columns, rows, len(columns) > WIDE)


def rows_by_agent(cells: list[Cell]) -> list[tuple[str, str, list[Cell]]]:
    """(agent, prompt variant, runs) of each row of a table; the variant is empty if all runs have the same of the paper."""
    rows: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        rows[cell.agent_id, cell.variant].append(cell)
    many_variants = len({variant for _, variant in rows}) > 1
    return [
        (own[0].agent, variant_words(own[0].environment, variant) if many_variants or texts_slug(variant) else "", own)
        for (_, variant), own in rows.items()
    ]


def _cell(cell: RunCell, title: str, prompt: str, written: ScoreFormat) -> MatrixCell:
    place = f"{cell.agent}, {title} {cell.difficulty}, seed {cell.seed}{prompt}"
    if cell.state == RunState.FINISHED:
        if cell.score is None:
            return MatrixCell(cell.id, "finished unscored", "✓", f"{place}: finished, not scored")
        label = f"{place}: {written.label.lower()} {written.text(cell.score)}"
        return MatrixCell(cell.id, f"finished {written.heat(cell.score)}", written.short(cell.score), label)
    fill = min(20, round(cell.progress * 20))
    state = state_label(cell.state, cell.pause_cause).lower()
    played = f", {cell.played} of {cell.periods} periods" if cell.played else ""
    last = f", last period {cell.last_quality * 100:.1f}" if cell.played and cell.last_quality is not None else ""
    return MatrixCell(
        cell.id, f"{cell.state} fill-{fill}", SIGNS.get(cell.state, ""), f"{place}: {state}{played}{last}"
    )
