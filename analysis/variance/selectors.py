"""The variance of scores by environment and difficulty."""

from dataclasses import dataclass

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.runs import benchmark_runs
from runs.selectors.repeats import scored_runs
from stats.designs.variance import Components, components


@dataclass(frozen=True)
class CellVariance:
    """The finished runs of one environment and difficulty.

    result: the components, or the reason why there are none; cost_nano: mean cost of a run
    """

    column: BenchmarkColumn
    result: Components | str
    cost_nano: float

    @property
    def title(self) -> str:
        return self.column.title


def variances_of(*, organization: Organization, table_filter: TableFilter) -> list[CellVariance]:
    """A row for each column with a finished run, in the order of the filter. Takes one query more than `benchmark_runs`."""
    runs = scored_runs(benchmark_runs(organization=organization, table_filter=table_filter))
    return [
        CellVariance(column, components(of_column.agents, of_column.instances, of_column.scores), of_column.cost_nano)
        for column in table_filter.columns
        if (of_column := runs.get(column))
    ]
