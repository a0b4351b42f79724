"""The runs, records and rows of the benchmark table, by filter."""

from django.db.models import F, OrderBy, QuerySet

from accounts.models import Organization
from analysis.base import published
from analysis.base.benchmark_filters import TableFilter
from analysis.base.selectors import MinorityGroups, fitting_runs, in_groups, minority_groups, run_records
from analysis.base.table import BenchmarkColumn, Kind, RunRecord
from analysis.benchmark.selectors import cell_scores, scored_runs, table_agents
from analysis.benchmark.table import BenchmarkTable, ScoredRuns, benchmark_table
from environments.generation import CUSTOM, is_design
from environments.prompts.variants import is_own
from environments.registry import BENCHMARKS
from runs.models import Agent, Run

CELL_SORTS = {"seed": "instance__seed", "score": "score", "state": "state", "launched": "created_at"}


def benchmark_minorities(organization: Organization, table_filter: TableFilter) -> MinorityGroups:
    """The groups of runs that the filter leaves out for unusual conditions; none if the filter pools these.

    All environments and difficulties count, so that every cell of a row and every figure has the same conditions.
    """
    if table_filter.mixed:
        return {}
    runs = _runs_of_all_environments(organization, table_filter).filter(instance__environment__in=BENCHMARKS)
    return minority_groups(organization, runs.exclude(instance__difficulty=CUSTOM))


def benchmark_runs(*, organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    """Runs in all states that fit the filter, without those played under unusual conditions.

    Takes as many queries as `minority_groups`.
    """
    return (
        _runs_of_all_environments(organization, table_filter)
        .exclude(in_groups(benchmark_minorities(organization, table_filter)))
        .filter(instance__environment__in=table_filter.environments, instance__difficulty__in=table_filter.difficulties)
    )


def _runs_of_all_environments(organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    return fitting_runs(organization=organization, run_filter=table_filter).filter(
        instance__generator=table_filter.generator, variant=table_filter.variant, periods=table_filter.periods
    )


def cell_runs(
    *, organization: Organization, table_filter: TableFilter, column: BenchmarkColumn, agent: Agent, sort: str = "seed"
) -> QuerySet[Run]:
    """The runs of one agent behind one cell of the filter's table.

    `sort` is a key of CELL_SORTS; a minus means descending.
    """
    column_filter = table_filter.with_values(environments=(column.environment,), difficulties=(column.difficulty,))
    column_of_sort = CELL_SORTS.get(sort.removeprefix("-"), CELL_SORTS["seed"])
    order = OrderBy(F(column_of_sort), descending=sort.startswith("-"), nulls_last=True)
    runs = benchmark_runs(organization=organization, table_filter=column_filter).filter(agent=agent)
    bulky = ("instance__parameters", "instance__hidden", "instance__reference", "config", "metrics")
    return runs.select_related("instance", "experiment").defer(*bulky).order_by(order, "instance__seed", "id")


def benchmark_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=organization, table_filter=table_filter))


def table_of(*, organization: Organization, table_filter: TableFilter) -> BenchmarkTable:
    """The table of own rows, with the paper's rows if they have the same conditions.

    Takes three queries, or four where `minority_groups` takes two.
    """
    return table_of_runs(benchmark_runs(organization=organization, table_filter=table_filter), table_filter)


def table_of_runs(runs: QuerySet[Run], table_filter: TableFilter) -> BenchmarkTable:
    """The table of runs that fit the filter. Takes two queries."""
    has_published = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    printed = (*published.benchmark_scores(), *published.earlier_scores()) if has_published else ()
    cells = cell_scores(runs)
    # In a column without any run, no row would be complete. A design belongs to one environment.
    filled = {cell.column for cell in cells} | {(each.environment, each.difficulty) for each in printed}
    columns = [column for column in table_filter.columns if column in filled] or [
        column for column in table_filter.columns if not is_design(column.difficulty)
    ]
    own = table_filter.variant if is_own(table_filter.variant) else ""
    return benchmark_table(cells, table_agents(cells), printed, columns, table_filter.sort, own)


def chart_runs(*, organization: Organization, table_filter: TableFilter) -> ScoredRuns:
    """The finished runs behind the figure of the benchmark table."""
    chart_filter = table_filter.with_values(environments=(table_filter.chart_environment,))
    return scored_runs(benchmark_runs(organization=organization, table_filter=chart_filter))
