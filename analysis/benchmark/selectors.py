"""Runs of the benchmark table and of its cells."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import F, QuerySet

from accounts.models import Organization
from analysis.base.selectors import fitting_runs
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.table import BenchmarkColumn
from runs.models import Agent, Run


def benchmark_runs(*, organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    """Runs of all states that fit the filter."""
    return fitting_runs(organization=organization, chosen=table_filter).filter(
        instance__environment__in=table_filter.environments,
        instance__difficulty__in=table_filter.difficulties,
        instance__generator=table_filter.generator,
        variant=table_filter.variant,
        periods=table_filter.periods,
    )


CELL_SORTS = {"seed": "instance__seed", "score": "score", "state": "state", "launched": "created_at"}


def cell_runs(
    *, organization: Organization, table_filter: TableFilter, column: BenchmarkColumn, agent: Agent, sort: str = "seed"
) -> QuerySet[Run]:
    """The runs of one agent behind one cell of the filter's table.

    `sort` is a key of CELL_SORTS; a minus means descending.
    """
    of_column = replace(table_filter, environments=(column.environment,), difficulties=(column.difficulty,))
    place = F(CELL_SORTS.get(sort.removeprefix("-"), CELL_SORTS["seed"]))
    order = place.desc(nulls_last=True) if sort.startswith("-") else place.asc(nulls_last=True)
    runs = benchmark_runs(organization=organization, table_filter=of_column).filter(agent=agent)
    bulky = ("instance__parameters", "instance__hidden", "instance__reference", "config", "metrics")
    return runs.select_related("instance", "experiment").defer(*bulky).order_by(order, "instance__seed", "id")
