"""Scores and metrics of one environment: own ones, aggregated in the database, and those printed in the papers.

Printed metrics are shown beside own means. They are never averaged with them and enter no fitted line.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Min

from accounts.models import Organization
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.selectors import metric_number
from analysis.base.table import Kind, RunRecord, kind_of
from analysis.behaviour.means import Means, Measured
from analysis.behaviour.metric_tests import MetricTest, metric_tests
from analysis.behaviour.pairs import PairGrid, pair_grid
from analysis.behaviour.published import published_means
from analysis.benchmark.runs import benchmark_runs
from analysis.litmus.runs import records_of
from environments.prompts.variants import texts_slug
from games.parts import Metric
from games.registry import metrics_of, parts_of
from runs.models import Agent, RunState
from runs.selectors.cells import SCORED

AGENT_FIELDS = ("pk", "slug", "name", "model", "baseline", "imported", "player_class", "reasoning", "release_date")


def filter_of_environment(table_filter: TableFilter, environment: str) -> TableFilter:
    """The filter narrowed to one environment, with its difficulties from the easiest to the hardest."""
    difficulties = tuple(name for name in DIFFICULTIES if name in table_filter.difficulties) or DIFFICULTIES
    return table_filter.with_values(environments=(environment,), difficulties=difficulties)


def grid_of(*, organization: Organization, table_filter: TableFilter) -> PairGrid:
    """Pairwise tests. The filter must be narrowed to one environment. Two queries."""
    return _grid(instance_runs(organization, table_filter), table_filter)


def means_of(*, organization: Organization, table_filter: TableFilter) -> list[Means]:
    """Means of the agents, then the published ones. The filter must be narrowed to one environment. Two queries."""
    return _means(instance_runs(organization, table_filter, _metrics(table_filter)), table_filter)


class EnvironmentData(NamedTuple):
    """The tests and means of one environment. narrowed: the filter of this environment alone"""

    narrowed: TableFilter
    grid: PairGrid
    means: list[Means]
    metric_tests: list[MetricTest]

    @property
    def name(self) -> str:
        return self.narrowed.environments[0]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return _metrics(self.narrowed)


def data_of(organization: Organization, table_filter: TableFilter) -> list[EnvironmentData]:
    """The data of each environment of the filter. Two queries for each."""
    return [
        EnvironmentData(
            narrowed,
            grid := _grid(rows, narrowed),
            _means(rows, narrowed),
            metric_tests_of(rows, narrowed, grid),
        )
        for narrowed in (filter_of_environment(table_filter, name) for name in table_filter.environments)
        for rows in [instance_runs(organization, narrowed, _metrics(narrowed))]
    ]


class InstanceRuns(NamedTuple):
    """The finished runs of an agent on an instance: their mean score, first id and number.

    agent: values of AGENT_FIELDS
    metrics: for each metric the mean over the runs that have it, None if none has, and their number
    """

    agent: dict[str, Any]
    instance_id: int
    difficulty: str
    seed: int
    score: float
    run_id: int
    number: int
    metrics: tuple[tuple[float | None, int], ...]


def instance_runs(
    organization: Organization, table_filter: TableFilter, metrics: Sequence[Metric] = ()
) -> list[InstanceRuns]:
    """The finished runs of one environment, by agent and instance. Two queries."""
    numbers = [metric_number(metric.key) for metric in metrics]
    rows: list[Any] = list(
        benchmark_runs(organization=organization, table_filter=table_filter)
        .filter(SCORED)
        .order_by("agent_id", "instance__seed", "instance_id")
        .values_list("agent_id", "instance_id", "instance__difficulty", "instance__seed")
        .annotate(Avg("score"), Min("id"), Count("id"))
        .annotate(**{f"mean_{index}": Avg(number) for index, number in enumerate(numbers)})
        .annotate(**{f"count_{index}": Count(number) for index, number in enumerate(numbers)})
    )
    agents = {row["pk"]: row for row in Agent.objects.filter(pk__in={row[0] for row in rows}).values(*AGENT_FIELDS)}
    count = len(metrics)
    return [
        InstanceRuns(
            agents[agent],
            instance,
            difficulty,
            seed,
            score,
            first,
            runs,
            tuple(zip(values[:count], values[count:], strict=True)),
        )
        for agent, instance, difficulty, seed, score, first, runs, *values in rows
    ]


def metric_tests_of(rows: Sequence[InstanceRuns], table_filter: TableFilter, grid: PairGrid) -> list[MetricTest]:
    """Tests of every two agents of the grid in the metrics with `by_release`."""
    tested = [(index, metric) for index, metric in enumerate(_metrics(table_filter)) if metric.by_release]
    players = {player.agent_id for player in grid.players}
    values: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for row in rows:
        for index, metric in tested:
            share, _ = row.metrics[index]
            if share is not None and row.agent["pk"] in players:
                values[row.agent["pk"], row.difficulty, metric.key].append(100 * share)
    return metric_tests(grid.players, values, [metric for _, metric in tested], table_filter.difficulties)


def own_means(rows: Iterable[InstanceRuns], metrics: Sequence[Metric]) -> list[Means]:
    """Means over the instances that each agent finished on each difficulty; several runs on one count as their mean.

    A metric's mean is over the runs that have it.
    """
    cells: dict[tuple[str, int, str], list[InstanceRuns]] = defaultdict(list)
    for row in rows:
        cells[row.agent["name"], row.agent["pk"], row.difficulty].append(row)
    return [
        Means(
            agent_id=agent["pk"],
            slug=agent["slug"],
            name=agent["name"],
            model=agent["model"],
            kind=kind_of(agent["imported"], bool(agent["baseline"]), agent["player_class"]),
            reasoning=agent["reasoning"],
            released=agent["release_date"],
            difficulty=difficulty,
            score=100 * fmean(row.score for row in of_cell),
            runs=sum(row.number for row in of_cell),
            measured={
                metric.key: Measured(100 * fmean(shares), sum(number for _, number in values))
                for metric, values in zip(metrics, zip(*(row.metrics for row in of_cell), strict=True), strict=True)
                if (shares := [share for share, _ in values if share is not None])
            },
        )
        for (_, _, difficulty), of_cell in sorted(cells.items())
        for agent in [of_cell[0].agent]
    ]


def _means(rows: Iterable[InstanceRuns], table_filter: TableFilter) -> list[Means]:
    means = own_means(rows, _metrics(table_filter))
    if Kind.PUBLISHED in table_filter.rows and table_filter.fits_published:
        published = published_means(table_filter.environments[0])
        means += [agent for agent in published if agent.difficulty in table_filter.difficulties]
    return means


def _metrics(table_filter: TableFilter) -> tuple[Metric, ...]:
    return metrics_of(table_filter.environments[0], table_filter.variant)


def _grid(rows: Iterable[InstanceRuns], table_filter: TableFilter) -> PairGrid:
    (environment,) = table_filter.environments
    records = [
        RunRecord(
            run_id=row.run_id,
            agent_id=row.agent["pk"],
            agent_slug=row.agent["slug"],
            agent_name=row.agent["name"],
            is_baseline=bool(row.agent["baseline"]),
            environment=environment,
            difficulty=row.difficulty,
            instance_id=row.instance_id,
            seed=row.seed,
            state=RunState.FINISHED,
            score=row.score,
            is_imported=row.agent["imported"],
            player_class=row.agent["player_class"],
        )
        for row in rows
    ]
    return pair_grid(records, environment, table_filter.difficulties)


def litmus_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    """Finished runs of the litmus tests that are shown run by run, under the page's shared filters. One query."""
    runs = records_of(organization=organization, litmus_filter=litmus_filter(table_filter), metrics=())
    return [run for run in runs if parts_of(run.environment).has_litmus_strip and run.base == "main" and run.is_scored]


def litmus_filter(table_filter: TableFilter) -> LitmusFilter:
    """A filter of litmus tests with the values that it shares with a filter of benchmarks."""
    shared = ("rows", "generator", "start", "end", "tag", "mixed", "agents")
    variant = table_filter.variant if texts_slug(table_filter.variant) else LitmusFilter.default("variant")
    return LitmusFilter(variant=variant, **{name: getattr(table_filter, name) for name in shared})
