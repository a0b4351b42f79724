"""Records and rows of a table by its filter, for pages, figures and the API."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Organization
from analysis.base.selectors import run_records
from analysis.base.table import Kind
from analysis.benchmark import published
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.selectors import benchmark_runs
from analysis.benchmark.table import BenchmarkTable, benchmark_table
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus.filters import LitmusFilter
from analysis.litmus.selectors import SCORING, litmus_runs
from analysis.litmus.table import LitmusRow, litmus_table
from analysis.records import RunRecord


def benchmark_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=organization, table_filter=table_filter))


def table_of(table_filter: TableFilter, records: Sequence[RunRecord]) -> BenchmarkTable:
    """Own rows, and the paper's rows if they have the same conditions."""
    shown = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    scores = published.benchmark_scores() if shown else ()
    return benchmark_table(records, scores, table_filter.columns, table_filter.sort)


def records_of(
    *, organization: Organization, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, chart: str = ""
) -> list[RunRecord]:
    """Runs of all tests, or of one chart's environment with the variants that charts show."""
    runs = litmus_runs(organization=organization, litmus_filter=litmus_filter)
    if chart:
        test = LITMUS_CHARTS[chart][0]
        shown = [variant for environment, variant in LITMUS_CHARTS.values() if environment == test]
        runs = runs.filter(instance__environment=test, variant__in=shown)
    return run_records(runs, metrics, order=("agent__name", "agent_id"))


def litmus_rows(records: Sequence[RunRecord], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)
