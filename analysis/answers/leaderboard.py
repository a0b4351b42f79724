"""Which agents score best on the benchmarks?"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import TableFilter, environment_title
from analysis.base.leaderboard import OWN_DESIGN, member_links
from analysis.base.selectors import styles_of_agents
from analysis.base.table import POINTS_OF_100, SHARE, RunRecord
from analysis.benchmark.cells import bounds
from analysis.benchmark.leaderboard import build_leaderboard
from analysis.benchmark.runs import benchmark_records, chart_runs, table_of
from analysis.benchmark.table import BenchmarkTable
from analysis.figures import dots
from analysis.figures.difficulties import difficulties_figure
from environments.generation import is_design
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import precision, score
from infrastructure.text.tables import Column, Printed, Table, typed
from stats.summaries import Summary


def _cells(table: BenchmarkTable) -> Iterator[tuple[object, ...]]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell is not None:
                yield (
                    row.name, row.kind.value, column.environment, column.difficulty,
                    cell.mean, cell.standard_error, cell.n, cell.of, cell.solved,
                    *(cell.interval or (None, None)), *(row.standing.ranks or (None, None)), row.own_prompt,
                    cell.missing, *(cell.bounds or (None, None)), cell.least, row.standing.ranked_among,
                    row.standing.rank, row.standing.rank_of, None if cell.mean is None else 100 * cell.mean,
                )  # fmt: skip


def _as_on_the_page(table: BenchmarkTable) -> Table:
    """Scores in points of 100, with intervals or standard errors and solved counts in small print."""
    heads = [
        Column(
            column.key,
            f"{name}, {OWN_DESIGN}" if is_design(name) else name,
            group=f"{environment_title(environment)}, {POINTS_OF_100}",
            value_type=float,
        )
        for column in table.columns
        for environment, name in [column]
    ]
    rows = [(row.full_name, *map(_printed_score, row.cells)) for row in table.rows]
    return Table(f"Mean scores by agent, {POINTS_OF_100}", [Column("agent", "Agent"), *heads], rows)


def _printed_score(cell: Summary | None) -> Printed | None:
    if cell is None or cell.mean is None:
        return None
    solved = "" if cell.solved is None else f"{cell.solved}/{cell.n}"
    return Printed(score(cell.mean), ", ".join(filter(None, [precision(cell), bounds(cell), solved])))


def _runs(records: Iterable[RunRecord]) -> Iterator[tuple[object, ...]]:
    for run in records:
        yield (
            run.run_id, run.agent_name, run.environment, run.difficulty, run.seed, run.state, run.score, run.solved,
        )  # fmt: skip


def strip(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    """Scores of single runs by agent, in the environment chosen for the chart."""
    chart_filter = table_filter.with_values(environments=(table_filter.chart_environment,))
    table = table_of(organization=organization, table_filter=chart_filter)
    runs = chart_runs(organization=organization, table_filter=table_filter)
    return dots.strip_figure(table, runs, styles_of_agents(organization=organization), link)


def by_difficulty(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    """Mean scores by difficulty in the environments of the table."""
    table = table_of(organization=organization, table_filter=table_filter)
    return difficulties_figure(table, styles_of_agents(organization=organization))


def _context(organization: Organization, table_filter: TableFilter, query: QueryDict) -> dict[str, Any]:
    table = table_of(organization=organization, table_filter=table_filter)
    return {"leaderboard": build_leaderboard(table, table_filter, member_links(table_filter))}


MISSING = [
    Column(
        "instances_missing",
        value_type=int,
        description="Instances of which a run ended without a score, by stall, error or cancellation, and none has one.",
    ),
    Column(
        "bound_low",
        unit=SHARE,
        value_type=float,
        description="The mean with missing scores as low as the lowest score of any agent on their instances, or as what "
        "the run had reached where a score cannot fall.",
    ),
    Column(
        "bound_high",
        unit=SHARE,
        value_type=float,
        description="The mean with missing scores at their best, which is 1.",
    ),
    Column(
        "bound_least",
        unit=SHARE,
        value_type=float,
        description="As `bound_low`, but with scores of other agents counted as 0.",
    ),
]

LEADERBOARD = Answer(
    name="leaderboard",
    title="Leaderboard",
    question="Which agents score best on the benchmarks?",
    filter_class=TableFilter,
    read=lambda owner, table_filter: table_of(organization=owner, table_filter=table_filter),
    template="analysis/leaderboard.html",
    context=_context,
    tables={
        "leaderboard": AnswerTable(
            "mean scores, a row for each agent, environment and difficulty",
            "Mean scores by agent",
            [
                *typed(str, "agent", "row", "environment", "difficulty"),
                *typed(float, "mean_score", "standard_error", unit=SHARE),
                *typed(int, "instances_scored", "instances_started", "instances_solved"),
                *typed(float, "interval_low", "interval_high", unit=SHARE),
                *typed(int, "rank_best", "rank_worst"),
                Column("own_prompt"),
                *MISSING,
                Column(
                    "ranked_among",
                    value_type=int,
                    description="Number of rows with scores in the same columns, among which rank_best and rank_worst hold.",
                ),
                Column(
                    "rank",
                    value_type=int,
                    description="1 + the number of rows with scores in the same columns and a higher mean over them.",
                ),
                Column("rank_of", value_type=int, description="Number of rows with scores in the same columns."),
                Column(
                    "mean_points", unit=POINTS_OF_100, digits=1, value_type=float, description="As printed on pages."
                ),
            ],
            _cells,
            arranged=_as_on_the_page,
            file="table",
        ),
        "runs": AnswerTable(
            "runs in all states",
            "Runs",
            [
                Column("run", value_type=int),
                *typed(str, "agent", "environment", "difficulty"),
                Column("seed", value_type=int),
                Column("state"),
                Column("score", unit=SHARE, value_type=float),
                Column("solved", value_type=bool),
            ],
            _runs,
            read=lambda owner, table_filter: benchmark_records(organization=owner, table_filter=table_filter),
        ),
    },
    figures={
        "strip": AnswerFigure("scores of single runs by agent", strip, file="figure"),
        "by-difficulty": AnswerFigure("mean scores by difficulty, a line for each agent", by_difficulty),
    },
)
