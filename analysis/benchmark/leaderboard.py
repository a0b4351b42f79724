"""The benchmark table arranged for a page: sortable headings, linked cells, facts and notes."""

from dataclasses import dataclass

from django.utils.text import get_text_list

from analysis.base import leaderboard
from analysis.base.benchmark_filters import TableFilter, environment_title, variant_label
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
class BenchmarkLeaderboard(leaderboard.Leaderboard[Row, LeaderboardCell]):
    groups: list[tuple[str, int]]
    overall_heading: leaderboard.Heading
    facts: list[str]
    has_runs: bool
    scored_in_chart: int
    chart_title: str
    chart_choices: list[tuple[str, str, bool]]

    @property
    def has_bounds(self) -> bool:
        return any(cell.summary and cell.summary.bounds for row in self.rows for cell in row.cells)

    @property
    def strip_address(self) -> str:
        return self.links.figure("strip")

    @property
    def by_difficulty_address(self) -> str:
        """Empty if the table has no two difficulties of one environment."""
        return self.links.figure("by-difficulty") if any(count > 1 for _, count in self.groups) else ""


def build_leaderboard(
    table: BenchmarkTable, table_filter: TableFilter, links: leaderboard.LeaderboardLinks
) -> BenchmarkLeaderboard:
    environment = table_filter.chart_environment
    # For each column, whether it is the first of its environment.
    firsts = [index == 0 for _, count in table.groups for index in range(count)]
    return BenchmarkLeaderboard(
        groups=[(environment_title(name), count) for name, count in table.groups],
        agent_heading=leaderboard.heading(AGENT, "Agent", table_filter.sort, links),
        overall_heading=leaderboard.heading(OVERALL, "Mean", table_filter.sort, links),
        headings=[
            leaderboard.heading(
                column.key, column.difficulty, table_filter.sort, links, first=first, note=_column_note(column)
            )
            for column, first in zip(table.columns, firsts, strict=True)
        ],
        rows=[
            leaderboard.LeaderboardRow(
                row,
                [_cell(row, *parts, links) for parts in zip(table.columns, row.cells, firsts, strict=True)],
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


def _cell(
    row: Row, column: BenchmarkColumn, cell: Summary | None, first: bool, links: leaderboard.LeaderboardLinks
) -> LeaderboardCell:
    address = links.cell(row, column) if cell and row.agent_slug else ""
    return LeaderboardCell(cell, address, cell_sentence(cell), first)


def _column_note(column: BenchmarkColumn) -> str:
    return leaderboard.OWN_DESIGN if is_design(column.difficulty) else ""


def cell_sentence(cell: Summary | None) -> str:
    """The numbers of a cell in words, with the number of instances and runs behind them."""
    if cell is None:
        return "No run."
    if cell.mean is None:
        return f"None of {counted(cell.of, 'instance,instances')} has a score yet.{_missing_sentence(cell)}"
    parts = [
        f"Mean {cell.mean * 100:.1f} over {counted(cell.n, 'instance,instances')}",
        f" of {cell.of:,} started" if cell.of > cell.n else "",
        ", 95 % interval {:.1f} to {:.1f}".format(*(end * 100 for end in cell.interval)) if cell.interval else "",
        "" if cell.standard_error is None else f", standard error {cell.standard_error * 100:.1f}",
        "" if cell.solved is None else f", {cell.solved:,} solved",
        f"; left out: {counted(cell.left_out, 'run,runs')} without a score" if cell.left_out else "",
    ]
    return f"{''.join(parts)}.{_missing_sentence(cell)}"


def _missing_sentence(cell: Summary) -> str:
    if not cell.bounds or cell.least is None:
        return ""
    low, high, least = (f"{mean * 100:.1f}".replace("-", "−") for mean in (*cell.bounds, cell.least))
    missing = counted(cell.missing, "instance,instances")
    worse = f", and {least} if they score 0" if least != low else ""
    return f" With {missing} whose runs ended without a score the mean is {low} to {high}{worse}."


def _facts(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    sizes = [cell.n for cell in table.own_cells if cell.n]
    scored, started = table.coverage
    complete = f"{scored:,} of {counted(started, 'instance,instances')} complete"
    return [
        "published generator"
        if table_filter.generator == "published"
        else f"generator {GENERATOR_LABELS[table_filter.generator]}",
        "main prompt" if table_filter.variant == "main" else f"prompt: {variant_label(table_filter.variant)}",
        f"{table_filter.periods:,} periods",
        *([f"n = {span(sizes, number)} per cell", complete] if sizes else []),
        *([f"{counted(table.left_out, 'run,runs')} without a score left out"] if table.left_out else []),
    ]


def _notes(table: BenchmarkTable, table_filter: TableFilter) -> list[str]:
    own = sorted({column.difficulty for column in table.columns if is_design(column.difficulty)})
    verb = "is an own design, not a difficulty" if len(own) == 1 else "are own designs, not difficulties"
    columns = [f"{environment_title(column.environment)} {column.difficulty}" for column in table.mixed]
    more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
    notes = {
        f"Published rows are left out: they used the published generator, the main prompt and {PERIODS} periods.": (
            Kind.PUBLISHED in table_filter.rows and not table_filter.fits_published
        ),
        f"{get_text_list(own, 'and')} {verb} of the paper, so published rows have no score there.": own,
        "Unfinished runs are in no mean. A dashed cell has some; point at it to read how many.": table.left_out,
        "A mean over some of the columns says over how many and stands below the others. Its rank, such as “2 of 5”, is "
        "among the agents that have finished an instance that it has finished too.": any(
            row.kind != Kind.PUBLISHED and row.means and not row.is_complete for row in table.rows
        ),
        f"Rows rest on different instances in {', '.join(columns[:3])}{more}, so their means do not compare "
        "directly. Compare agents to pair them instance by instance.": columns,
    }
    return [note for note, applies in notes.items() if applies]
