"""Tables of an organization by a filter: what the leaderboard and litmus pages, saved leaderboards and shared ones show."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Organization
from analysis.benchmark import published
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.leaderboard import Board, describe
from analysis.benchmark.links import BoardLinks
from analysis.benchmark.page import BenchmarkTable, Kind, benchmark_table
from analysis.benchmark.selectors import benchmark_runs, run_records
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus import charts
from analysis.litmus.board import LitmusBoard, arrange
from analysis.litmus.filters import LitmusFilter
from analysis.litmus.page import LitmusPage, page_of
from analysis.litmus.scores import LitmusRun
from analysis.litmus.selectors import SCORING, litmus_records, litmus_runs
from analysis.litmus.table import LitmusRow, litmus_table
from analysis.records import RunRecord


def benchmark_board(*, organization: Organization, table_filter: TableFilter, links: BoardLinks) -> Board:
    """One query."""
    records = benchmark_records(organization=organization, table_filter=table_filter)
    return describe(table_of(table_filter, records), table_filter, records, links)


def benchmark_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=organization, table_filter=table_filter))


def table_of(table_filter: TableFilter, records: Sequence[RunRecord]) -> BenchmarkTable:
    """Own rows, and the paper's beside them where they were made under the same conditions."""
    shown = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    scores = published.benchmark_scores() if shown else ()
    return benchmark_table(records, scores, table_filter.columns, table_filter.sort)


def litmus_board(*, organization: Organization, litmus_filter: LitmusFilter, links: BoardLinks) -> LitmusBoard:
    """The table alone, in one query."""
    found = records_of(organization=organization, litmus_filter=litmus_filter)
    return arrange(litmus_rows(found, litmus_filter), litmus_filter, links)


def litmus_page(
    *, organization: Organization, litmus_filter: LitmusFilter, links: BoardLinks
) -> tuple[LitmusBoard, LitmusPage]:
    """The table and what stands beside it, in two queries."""
    owner = {"organization": organization, "litmus_filter": litmus_filter}
    records = records_of(**owner, metrics=(*SCORING, *charts.PARETO))
    named = records_of(**owner, metrics=(*charts.NAMES, *charts.CURVES), chart="names")
    board = arrange(litmus_rows(records, litmus_filter), litmus_filter, links)
    return board, page_of(records, named, litmus_filter, links)


def records_of(
    *, organization: Organization, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, chart: str = ""
) -> list[LitmusRun]:
    """Runs of all tests, or those of one chart's environment under the variants that charts show."""
    runs = litmus_runs(organization=organization, litmus_filter=litmus_filter)
    if chart:
        test = LITMUS_CHARTS[chart][0]
        shown = [variant for environment, variant in LITMUS_CHARTS.values() if environment == test]
        runs = runs.filter(instance__environment=test, variant__in=shown)
    return litmus_records(runs, metrics)


def litmus_rows(records: Sequence[LitmusRun], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)
