"""Database reads of scores by period, from the metrics of runs."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, F, Max, Q, Window
from django.db.models.functions import RowNumber

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.runs import benchmark_runs
from analysis.benchmark.selectors import agent_rows
from analysis.courses.learning import Learning, RunScores, learning_curve
from games.parts import PeriodScores
from games.registry import parts_of
from runs.models import Instance, MetricSeries
from runs.selectors.cells import SCORED

MOST_AGENTS = 12
"""The most agents of a page. With more lines nobody can follow one."""
MOST_RUNS, LEAST_EACH = 450, 6
"""The most runs that are read for all panels together, and the least for each agent in a panel if it has as many."""
PLACE = ("agent_id", "instance__environment", "instance__difficulty")


def learning_of(organization: Organization, table_filter: TableFilter) -> Learning:
    """The learning curves of at most MOST_AGENTS agents: those with runs in most panels, the newest first.

    Takes four queries and one or two for each environment, and one more where `minority_groups` takes two.
    """
    metrics = {name: scores for name in table_filter.environments if (scores := parts_of(name).period_scores)}
    narrowed = table_filter.with_values(environments=tuple(metrics))
    runs = benchmark_runs(organization=organization, table_filter=narrowed).filter(SCORED)
    counts: list[Any] = list(
        runs.order_by()
        .values_list(*PLACE)
        .annotate(count=Count("id"), imports=Count("id", filter=Q(imported=True)), newest=Max("id"))
    )
    agents = _first_agents(counts)
    panels = {(environment, difficulty) for _, environment, difficulty, *_ in counts}
    each = max(LEAST_EACH, MOST_RUNS // max(1, len(panels) * len(agents)))
    rank = Window(RowNumber(), partition_by=[F(name) for name in PLACE], order_by=F("id").desc())
    newest = list(runs.filter(agent__in=agents).alias(rank=rank).filter(rank__lte=each).values_list("pk", flat=True))
    groups: dict[tuple[BenchmarkColumn, int], list[RunScores]] = defaultdict(list)
    for name, metric in metrics.items():
        for run in _scores(newest, name, metric):
            groups[run.column, run.agent_id].append(run)
    rows = {row.agent_id: row for row in agent_rows(agents, {agent for agent, *_, imports, _ in counts if imports})}
    order = sorted(groups, key=lambda key: (narrowed.columns.index(key[0]), agents.index(key[1])))
    return Learning(
        [learning_curve(rows[agent], column, groups[column, agent], table_filter.periods) for column, agent in order],
        {name: metric.title for name, metric in metrics.items()},
        table_filter.periods,
        runs_left_out=sum(count for agent, *_, count, _, _ in counts if agent in agents) - len(newest),
        agents_left_out=len({agent for agent, *_ in counts}) - len(agents),
    )


def _first_agents(counts: Sequence[Any]) -> list[int]:
    """counts: rows of agent, environment, difficulty, numbers of runs, and id of the newest run"""
    columns = Counter(agent for agent, *_ in counts)
    newest: dict[int, int] = {}
    for agent, *_, last in counts:
        newest[agent] = max(last, newest.get(agent, 0))
    return sorted(columns, key=lambda agent: (-columns[agent], -newest[agent]))[:MOST_AGENTS]


def _scores(ids: Sequence[int], environment: str, metric: PeriodScores) -> list[RunScores]:
    """The scores by period of the runs of an environment that have the metric and its reference. One or two queries."""
    rows: Sequence[Any] = list(
        MetricSeries.objects.filter(run__in=ids, run__instance__environment=environment, metric=metric.key).values_list(
            "run__agent_id", "run__instance__difficulty", "run__instance_id", "values"
        )
    )
    references: dict[int, Any] = dict.fromkeys((instance for _, _, instance, _ in rows), {})
    if metric.needs_reference:
        instances = Instance.objects.filter(pk__in=references, reference__isnull=False)
        references = dict(instances.values_list("pk", "reference"))
    return [
        RunScores(
            agent,
            BenchmarkColumn(environment, difficulty),
            instance,
            metric.shares(values, references[instance]),
        )
        for agent, difficulty, instance, values in rows
        if values and instance in references
    ]
