"""The benchmark table arranged for a page: sortable headings, linked cells, facts and notes."""

from dataclasses import dataclass

from django.utils.text import get_text_list

from analysis.base import leaderboard
from analysis.base.benchmark_filters import TableFilter, environment_title, variant_label
from analysis.base.table import AGENT, OVERALL, BenchmarkColumn, Kind
from analysis.benchmark.table import BenchmarkTable, Row
from environments.base import PERIODS
from environments.generation import GENERATOR_LABELS, difficulty_title, is_design
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
    """axis: lowest and highest score of the small axis in each row, as shares"""

    groups: list[tuple[str, int]]
    overall_heading: leaderboard.Heading
    facts: list[str]
    has_runs: bool
    scored_in_chart: int
    chart_title: str
    chart_choices: list[tuple[str, str, bool]]
    axis: tuple[float, float]

    @property
    def has_ranks(self) -> bool:
        return any(line.row.standing.rank for line in self.rows)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.headings) + 2 + self.has_ranks

    @property
    def strip_address(self) -> str:
        return self.links.figure("strip")

    @property
    def cost_address(self) -> str:
        """The figure of scores and costs, for members only."""
        return self.links.figure("cost") if self.links.launch else ""

    @property
    def by_difficulty_address(self) -> str:
        """Empty if the table has no two difficulties of one environment."""
        return self.links.figure("by-difficulty") if any(count > 1 for _, count in self.groups) else ""


def build_leaderboard(
    table: BenchmarkTable, table_filter: TableFilter, links: leaderboard.LeaderboardLinks
) -> BenchmarkLeaderboard:
    environment, sort = table_filter.chart_environment, table_filter.sort
    # For each column, whether it is the first of its environment.
    firsts = [index == 0 for _, count in table.groups for index in range(count)]
    groups = _row_groups(table, sort)
    return BenchmarkLeaderboard(
        groups=[(environment_title(name), count) for name, count in table.groups],
        agent_heading=leaderboard.heading(AGENT, "Agent", sort, links),
        overall_heading=leaderboard.heading(OVERALL, "Mean", sort, links),
        headings=[
            leaderboard.heading(
                column.key, difficulty_title(column.difficulty), sort, links, first=first, note=_column_note(column)
            )
            for column, first in zip(table.columns, firsts, strict=True)
        ],
        rows=[
            leaderboard.LeaderboardRow(
                row,
                [_cell(row, *parts, links) for parts in zip(table.columns, row.cells, firsts, strict=True)],
                missing=len(row.cells) - len(row.means),
                group=groups[row.is_complete],
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
        axis=_axis(table),
        notes=_notes(table, table_filter),
        links=links,
    )


def _row_groups(table: BenchmarkTable, sort: str) -> dict[bool, tuple[str, str]]:
    """The headings of the complete rows (True) and of the others. Rows in another order than that of means stand together."""
    complete = [row for row in table.rows if row.is_complete]
    if sort.removeprefix("-") != OVERALL or len(complete) == len(table.rows):
        return dict.fromkeys((True, False), ("", ""))
    has_ranges = any(row.standing.ranks for row in complete)
    ranges = "; in small print the ranks that no test excludes" if has_ranges else ""
    columns = f"all {len(table.columns)} columns" if len(table.columns) > 1 else "a score"
    others = "Agents with some columns" if len(table.columns) > 1 else "Agents without a score"
    return {
        True: (f"Agents with {columns}", f"{len(complete)}, ranked by mean{ranges}"),
        False: (others, f"{len(table.rows) - len(complete)}, ranked only among agents with the same columns"),
    }


def _axis(table: BenchmarkTable) -> tuple[float, float]:
    """The range of the means and their intervals, from 0 to 1 or wider."""
    ends = [end for row in table.rows for end in (*(row.interval or ()), row.overall) if end is not None]
    return min([0.0, *ends]), max([1.0, *ends])


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
    own = sorted({difficulty_title(column.difficulty) for column in table.columns if is_design(column.difficulty)})
    verb = "is an own design, not a difficulty" if len(own) == 1 else "are own designs, not difficulties"
    columns = [column.title for column in table.mixed]
    more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
    notes = {
        f"Published rows are left out: they used the published generator, the main prompt and {PERIODS} periods.": (
            Kind.PUBLISHED in table_filter.rows and not table_filter.fits_published
        ),
        f"{get_text_list(own, 'and')} {verb} of the paper, so published rows have no score there.": own,
        "Unfinished runs are in no mean. A cell with a marked corner has some; point at it to read how many.": (
            table.left_out
        ),
        "Instances whose runs stalled, failed or were cancelled could change a mean. The title of its cell has the mean "
        "with these as low as any agent there or as what the run had reached, and as 100.": any(
            cell.bounds for cell in table.own_cells
        ),
        "Published rows have one score per cell and no runs: no interval, and no test sets them apart.": any(
            row.kind == Kind.PUBLISHED for row in table.rows
        ),
        f"Rows rest on different instances in {', '.join(columns[:3])}{more}, so their means do not compare "
        "directly. Compare agents to pair them instance by instance.": columns,
    }
    return [note for note, applies in notes.items() if applies]
