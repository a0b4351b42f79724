"""The benchmark table arranged for a page: sortable headings, linked cells, facts and notes."""

from dataclasses import dataclass

from django.utils.text import get_text_list

from analysis.base.benchmark_filters import TableFilter, environment_title, variant_label
from analysis.base.leaderboard import OWN_DESIGN, Heading, LeaderboardLinks, LeaderboardRow, heading
from analysis.base.table import AGENT, OVERALL, BenchmarkColumn, Kind
from analysis.benchmark.table import BenchmarkTable, Row
from environments.base import PERIODS
from environments.generation import GENERATOR_LABELS, is_design
from infrastructure.text.formats import counted, number, span
from stats.summaries import Summary


@dataclass(frozen=True)
class LeaderboardCell:
    """One cell. `address` is the list of its runs, empty for published rows; `first` starts a group of columns."""

    summary: Summary | None
    address: str
    sentence: str
    first: bool


@dataclass(frozen=True)
class BenchmarkLeaderboard:
    groups: list[tuple[str, int]]
    agent_heading: Heading
    overall_heading: Heading
    headings: list[Heading]
    rows: list[LeaderboardRow[Row, LeaderboardCell]]
    facts: list[str]
    has_runs: bool
    scored_in_chart: int
    chart_title: str
    chart_choices: list[tuple[str, str, bool]]
    notes: list[str]
    links: LeaderboardLinks

    @property
    def strip_address(self) -> str:
        return self.links.figure("strip")


def build_leaderboard(
    table: BenchmarkTable, table_filter: TableFilter, links: LeaderboardLinks
) -> BenchmarkLeaderboard:
    environment = table_filter.chart_environment
    # For each column, whether it is the first of its environment.
    firsts = [index == 0 for _, count in table.groups for index in range(count)]
    return BenchmarkLeaderboard(
        groups=[(environment_title(name), count) for name, count in table.groups],
        agent_heading=heading(AGENT, "Agent", table_filter.sort, links),
        overall_heading=heading(OVERALL, "Mean", table_filter.sort, links),
        headings=[
            heading(column.key, column.difficulty, table_filter.sort, links, first=first, note=_column_note(column))
            for column, first in zip(table.columns, firsts, strict=True)
        ],
        rows=[
            LeaderboardRow(
                row,
                [
                    LeaderboardCell(
                        cell, links.cell(row, column) if cell and row.agent_slug else "", cell_sentence(cell), first
                    )
                    for column, cell, first in zip(table.columns, row.cells, firsts, strict=True)
                ],
                missing=len(row.cells) - len(row.means),
                can_be_compared=bool(row.means),
            )
            for row in table.rows
        ],
        facts=_facts(table, table_filter),
        has_runs=bool(table.own_cells),
        scored_in_chart=table.runs[environment],
        chart_title=environment_title(environment),
        chart_choices=[
            (environment_title(name), links.query(chart=name), name == environment)
            for name in table_filter.environments
        ],
        notes=_notes(table, table_filter),
        links=links,
    )


def _column_note(column: BenchmarkColumn) -> str:
    return OWN_DESIGN if is_design(column.difficulty) else ""


def cell_sentence(cell: Summary | None) -> str:
    """The numbers of a cell in words, with the number of instances and runs behind them."""
    if cell is None:
        return "No run."
    if cell.mean is None:
        return f"None of {counted(cell.of, 'instance,instances')} has a score yet."
    text = f"Mean {cell.mean * 100:.1f} over {counted(cell.n, 'instance,instances')}"
    if cell.of > cell.n:
        text += f" of {cell.of:,} started"
    if cell.interval:
        text += f", 95 % interval {cell.interval[0] * 100:.1f} to {cell.interval[1] * 100:.1f}"
    if cell.standard_error is not None:
        text += f", standard error {cell.standard_error * 100:.1f}"
    if cell.solved is not None:
        text += f", {cell.solved:,} solved"
    if cell.left_out:
        text += f"; left out: {counted(cell.left_out, 'run,runs')} without a score"
    return text + "."


def _facts(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    facts = [
        "published generator"
        if table_filter.generator == "published"
        else f"generator {GENERATOR_LABELS[table_filter.generator]}",
        "main prompt" if table_filter.variant == "main" else f"prompt: {variant_label(table_filter.variant)}",
        f"{table_filter.periods:,} periods",
    ]
    sizes = [cell.n for cell in table.own_cells if cell.n]
    if sizes:
        scored, started = table.coverage
        facts += [
            f"n = {span(sizes, number)} per cell",
            f"{scored:,} of {counted(started, 'instance,instances')} complete",
        ]
    if table.left_out:
        facts.append(f"{counted(table.left_out, 'run,runs')} without a score left out")
    return facts


def _notes(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    notes = []
    if Kind.PUBLISHED in table_filter.rows and not table_filter.fits_published:
        notes.append(
            f"Published rows are left out: they used the published generator, the main prompt and {PERIODS} periods."
        )
    if own := sorted({column.difficulty for column in table.columns if is_design(column.difficulty)}):
        verb = "is an own design, not a difficulty" if len(own) == 1 else "are own designs, not difficulties"
        notes.append(f"{get_text_list(own, 'and')} {verb} of the paper, so published rows have no score there.")
    if table.left_out:
        notes.append("Unfinished runs are in no mean. A dashed cell has some; point at it to read how many.")
    if any(row.kind != Kind.PUBLISHED and row.means and not row.is_complete for row in table.rows):
        notes.append("A mean over some of the columns says over how many; it has no rank and stands below the others.")
    if table.mixed:
        columns = [f"{environment_title(column.environment)} {column.difficulty}" for column in table.mixed]
        more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
        notes.append(
            f"Rows rest on different instances in {', '.join(columns[:3])}{more}, so their means do not compare "
            "directly. Compare agents to pair them instance by instance."
        )
    return notes
