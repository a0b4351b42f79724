"""Database reads of the scores and costs of agents."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import Rows
from analysis.base.table import BenchmarkColumn, Kind
from analysis.benchmark.runs import benchmark_runs, table_of_runs
from analysis.benchmark.table import Row
from analysis.cost.frontier import CostBoard, CostRow, efficient
from infrastructure.fields import Integers
from infrastructure.money import NANO
from runs.models import Agent, Run
from runs.selectors.cells import SCORED
from stats.means import Interval
from stats.strata import cost_interval
from stats.summaries import instance_means


class CostFilter(TableFilter):
    """Only agents that the site calls have costs here; logs, people and outside agents bring none."""

    PAGE: ClassVar[str] = "analysis:cost"
    KINDS: ClassVar[tuple[str, ...]] = (Kind.OWN, Kind.BASELINE)

    rows: Rows = (Kind.OWN, Kind.BASELINE)


class RunCosts(NamedTuple):
    """The finished runs of an agent in a column. costs: mean cost of a run in dollars for each instance"""

    runs: int
    costs: NDArray[np.float64]


def costs_of(*, organization: Organization, table_filter: TableFilter) -> CostBoard:
    """Takes two queries more than `table_of`."""
    runs = benchmark_runs(organization=organization, table_filter=table_filter)
    table, run_costs = table_of_runs(runs, table_filter), _run_costs(runs)
    agents = {agent.pk: agent for agent in Agent.objects.filter(pk__in=[row.agent_id for row in table.rows])}
    rows = [
        _cost_row(row, agents[row.agent_id], run_costs[row.agent_id])
        for row in table.rows
        if row.agent_id in agents and row.agent_id in run_costs and row.means
    ]
    frontier = efficient(rows)
    rows = [replace(row, is_efficient=row.agent_id in frontier) for row in rows]
    return CostBoard(rows, table.columns, table.mixed)


def _run_costs(runs: QuerySet[Run]) -> dict[int, dict[BenchmarkColumn, RunCosts]]:
    """By agent and column. Only finished runs count, as in the scores. A run's cost has all its calls, lost ones too."""
    rows: Iterable[Any] = (
        runs.filter(SCORED)
        .order_by("agent_id")
        .values_list("agent_id", "instance__environment", "instance__difficulty")
        .annotate(instances=Integers("instance_id"), costs=Integers("cost_nano"))
    )
    by_agent: dict[int, dict[BenchmarkColumn, RunCosts]] = defaultdict(dict)
    for agent, environment, difficulty, instances, costs in rows:
        column = BenchmarkColumn(environment, difficulty)
        by_agent[agent][column] = RunCosts(len(costs), instance_means(instances, costs / NANO))
    return by_agent


def _cost_row(row: Row, agent: Agent, columns: dict[BenchmarkColumn, RunCosts]) -> CostRow:
    groups = [column.costs for column in columns.values()]
    cost: float | None = float(np.mean([group.mean() for group in groups]))
    if not cost and not (agent.is_baseline or agent.is_priced):
        cost = None
    return CostRow(
        agent_id=agent.pk,
        agent_slug=agent.slug,
        name=agent.name,
        kind=row.kind.value,
        model=f"{agent.provider} {agent.endpoint_id or ''} {agent.model}" if agent.model else "",
        effort=agent.reasoning_effort,
        columns=len(row.means),
        instances=sum(len(group) for group in groups),
        runs=sum(column.runs for column in columns.values()),
        score=100 * (row.overall or 0.0),
        score_interval=_points(row.interval),
        cost=cost,
        cost_interval=cost_interval(groups) if cost else None,
        is_complete=row.is_complete,
    )


def _points(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])
