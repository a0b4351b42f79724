"""Database reads of the periods to the first optimal action."""

from collections.abc import Iterable
from typing import Any

from django.db.models import BigIntegerField, Case, Count, Q, Value, When
from django.db.models.functions import Cast, Coalesce

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.selectors import metric_number
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.runs import benchmark_runs
from analysis.benchmark.selectors import COLUMN_FIELDS, agent_rows
from analysis.convergence.times import Convergence, RunTimes, convergence
from games.registry import parts_of
from infrastructure.fields import Integers
from runs.selectors.cells import SCORED


def convergence_of(organization: Organization, table_filter: TableFilter) -> Convergence:
    """The periods that finished runs took, in the environments that have an optimal action to reach.

    Takes two queries, or three where `minority_groups` takes two.
    """
    solve_times = {name: solve_time for name in table_filter.environments if (solve_time := parts_of(name).solve_time)}
    narrowed = table_filter.with_values(environments=tuple(solve_times))
    cases = [
        When(instance__environment=name, then=Cast(metric_number(each.key), BigIntegerField()))
        for name, each in solve_times.items()
    ]
    time = Case(*cases, default=None, output_field=BigIntegerField())
    rows: Iterable[Any] = (
        benchmark_runs(organization=organization, table_filter=narrowed)
        .filter(SCORED)
        .order_by("agent_id")
        .values_list("agent_id", *COLUMN_FIELDS.values())
        .annotate(
            instances=Integers("instance_id"),
            times=Integers(Coalesce(time, Value(0), output_field=BigIntegerField())),
            imports=Count("id", filter=Q(imported=True)),
        )
    )
    runs = [
        RunTimes(agent_id, BenchmarkColumn(environment, difficulty), instances, times, bool(imports))
        for agent_id, environment, difficulty, instances, times, imports in rows
    ]
    events = {name: each.event for name, each in solve_times.items()}
    agents = agent_rows({each.agent_id for each in runs}, {each.agent_id for each in runs if each.is_imported})
    return convergence(runs, agents, narrowed.columns, events, table_filter.periods)
