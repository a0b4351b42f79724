"""A benchmark table arranged for the page: headings that sort, cells that link, and the facts above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.benchmark.filters import TableFilter, environment_title, variant_choices
from analysis.benchmark.links import BoardLinks
from analysis.benchmark.page import AGENT, OVERALL, BenchmarkTable, Column, Kind, Row
from analysis.records import RunRecord
from analysis.statistics import Summary
from environments.base import PERIODS
from environments.generation import GENERATORS


@dataclass(frozen=True)
class Heading:
    """`query` sorts by this column, the other way round where it already does; `direction` is for aria-sort."""

    label: str
    query: str
    direction: str = ""
    first: bool = False


@dataclass(frozen=True)
class BoardCell:
    """`address` leads to the runs behind it, empty for published rows; `first` starts a group of columns."""

    summary: Summary | None
    address: str
    sentence: str
    first: bool


@dataclass(frozen=True)
class BoardRow:
    row: Row
    cells: list[BoardCell]
    missing: int

    @property
    def is_own(self) -> bool:
        return self.row.kind == Kind.OWN


@dataclass(frozen=True)
class Board:
    groups: list[tuple[str, int]]
    agent_heading: Heading
    overall_heading: Heading
    headings: list[Heading]
    rows: list[BoardRow]
    facts: list[str]
    has_runs: bool
    scored_in_chart: int
    chart_title: str
    chart_choices: list[tuple[str, str, bool]]
    notes: list[str]
    links: BoardLinks

    @property
    def strip_address(self) -> str:
        return self.links.figure("strip")


def describe(
    table: BenchmarkTable, table_filter: TableFilter, records: Sequence[RunRecord], links: BoardLinks
) -> Board:
    chosen = table_filter.chart_environment
    return Board(
        groups=[(environment_title(environment), count) for environment, count in table.groups],
        agent_heading=_heading(AGENT, "Agent", table_filter, links),
        overall_heading=_heading(OVERALL, "Mean", table_filter, links),
        headings=[
            _heading(column.key, column.difficulty, table_filter, links, first=_starts_group(table.columns, place))
            for place, column in enumerate(table.columns)
        ],
        rows=[_row(row, table, links) for row in table.rows],
        facts=_facts(table, table_filter),
        has_runs=bool(records),
        scored_in_chart=sum(record.is_scored and record.environment == chosen for record in records),
        chart_title=environment_title(chosen),
        chart_choices=[
            (environment_title(name), links.query(chart=name), name == chosen) for name in table_filter.environments
        ],
        notes=_notes(table, table_filter),
        links=links,
    )


def _heading(key: str, label: str, table_filter: TableFilter, links: BoardLinks, first: bool = False) -> Heading:
    upwards = key == AGENT
    sorts = {key: "ascending", f"-{key}": "descending"}
    direction = sorts.get(table_filter.sort, "")
    preferred, other = (key, f"-{key}") if upwards else (f"-{key}", key)
    following = other if table_filter.sort == preferred else preferred
    return Heading(label, links.query(sort=following), direction, first)


def _starts_group(columns: Sequence[Column], place: int) -> bool:
    return place == 0 or columns[place - 1].environment != columns[place].environment


def _row(row: Row, table: BenchmarkTable, links: BoardLinks) -> BoardRow:
    cells = [
        BoardCell(
            summary=cell,
            address=links.cell(row, column) if cell is not None and row.agent_slug else "",
            sentence=cell_sentence(cell),
            first=_starts_group(table.columns, place),
        )
        for place, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True))
    ]
    return BoardRow(row, cells, missing=len(row.cells) - len(row.means))


def cell_sentence(cell: Summary | None) -> str:
    """A cell in words: what its numbers are and how many runs they rest on."""
    if cell is None:
        return "No run."
    if cell.mean is None:
        return f"None of {_instances(cell.of)} has a score yet."
    text = f"Mean {cell.mean * 100:.1f} over {_instances(cell.n)}"
    if cell.of > cell.n:
        text += f" of {cell.of:,} started"
    if cell.standard_error is not None:
        text += f", standard error {cell.standard_error * 100:.1f}"
    if cell.solved is not None:
        text += f", {cell.solved:,} solved"
    if cell.left_out:
        text += f"; left out: {cell.left_out:,} {'run' if cell.left_out == 1 else 'runs'} without a score"
    return text + "."


def _instances(number: int) -> str:
    return f"{number:,} {'instance' if number == 1 else 'instances'}"


def _facts(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    facts = [
        "published generator"
        if table_filter.generator == "published"
        else f"generator {GENERATORS[table_filter.generator]}",
        "main prompt" if table_filter.variant == "main" else f"prompt: {dict(variant_choices())[table_filter.variant]}",
        f"{table_filter.periods:,} periods",
    ]
    sizes = sorted({cell.n for cell in table.own_cells if cell.n})
    if sizes:
        span = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
        facts.append(f"n = {span} per cell")
        scored, started = table.coverage
        facts.append(f"{scored:,} of {started:,} instances complete")
    if table.left_out:
        facts.append(f"{table.left_out:,} {'run' if table.left_out == 1 else 'runs'} without a score left out")
    return facts


def _notes(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    notes = []
    if Kind.PUBLISHED in table_filter.rows and not table_filter.fits_published:
        notes.append(
            "Published rows are left out: they were made with the published generator, the main prompt and "
            f"{PERIODS} periods."
        )
    if table.left_out:
        notes.append(
            "Runs that did not finish are in no mean. A dashed cell leaves some out; its small print says on how many of "
            "the instances started it rests, or how many runs were left out."
        )
    if any(row.kind != Kind.PUBLISHED and row.means and not row.is_complete for row in table.rows):
        notes.append("A mean over some of the columns says over how many, and stands below those over all.")
    return notes
