"""Scores and metrics of one environment: own ones, aggregated in the database, and those printed in the papers.

Printed metrics are shown beside own means. They are never averaged with them and enter no fitted line.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Avg, F, Min, Q, QuerySet
from django.db.models.lookups import IsNull
from numpy.typing import NDArray

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
from analysis.benchmark.selectors import COLUMN_FIELDS
from analysis.litmus.runs import records_of
from environments.prompts.variants import texts_slug
from games.parts import Metric
from games.registry import metrics_of, parts_of
from infrastructure.fields import Floats, Integers
from runs.models import Run, RunState
from runs.selectors.cells import SCORED
from stats.summaries import instance_means

AGENT = {name: F(f"agent__{name}") for name in ("slug", "name", "model", "baseline", "imported", "player_class")}


def filter_of_environment(table_filter: TableFilter, environment: str) -> TableFilter:
    """The filter narrowed to one environment, with its difficulties from the easiest to the hardest."""
    difficulties = tuple(name for name in DIFFICULTIES if name in table_filter.difficulties) or DIFFICULTIES
    return table_filter.with_values(environments=(environment,), difficulties=difficulties)


def grid_of(*, organization: Organization, table_filter: TableFilter) -> PairGrid:
    """Pairwise tests. The filter must be narrowed to one environment. One query."""
    return pair_grid(
        instance_records(organization, table_filter), table_filter.environments[0], table_filter.difficulties
    )


def means_of(*, organization: Organization, table_filter: TableFilter) -> list[Means]:
    """Means of the agents, then the published ones. The filter must be narrowed to one environment. One query."""
    environment = table_filter.environments[0]
    means = own_means(organization, table_filter, metrics_of(environment, table_filter.variant))
    if Kind.PUBLISHED in table_filter.rows and table_filter.fits_published:
        means += [agent for agent in published_means(environment) if agent.difficulty in table_filter.difficulties]
    return means


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
        return metrics_of(self.name, self.narrowed.variant)


def data_of(organization: Organization, table_filter: TableFilter) -> list[EnvironmentData]:
    """The data of each environment of the filter. Two queries for each, three where a metric is tested."""
    return [
        EnvironmentData(
            narrowed,
            grid := grid_of(organization=organization, table_filter=narrowed),
            means_of(organization=organization, table_filter=narrowed),
            metric_tests_of(organization, narrowed, grid),
        )
        for narrowed in (filter_of_environment(table_filter, name) for name in table_filter.environments)
    ]


def metric_tests_of(organization: Organization, table_filter: TableFilter, grid: PairGrid) -> list[MetricTest]:
    """Tests of every two agents of the grid in the metrics with `by_release`. One query, none without such a metric."""
    metrics = [metric for metric in metrics_of(table_filter.environments[0], table_filter.variant) if metric.by_release]
    if not metrics:
        return []
    rows: Iterable[Any] = (
        _scored(organization, table_filter)
        .filter(agent__in=[player.agent_id for player in grid.players])
        .order_by()
        .values("agent_id", "instance__difficulty", "instance_id")
        .annotate(**{f"mean_{metric.key}": Avg(metric_number(metric.key)) for metric in metrics})
    )
    values: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for row in rows:
        for metric in metrics:
            if (share := row[f"mean_{metric.key}"]) is not None:
                values[row["agent_id"], row["instance__difficulty"], metric.key].append(100 * share)
    return metric_tests(grid.players, values, metrics, table_filter.difficulties)


def instance_records(organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    """One record for each agent and instance, with the mean score of its finished runs on it."""
    rows: Iterable[Any] = (
        _scored(organization, table_filter)
        .values("agent_id", "instance_id")
        .annotate(mean=Avg("score"), first=Min("id"), seed=F("instance__seed"), **COLUMN_FIELDS, **AGENT)
        .order_by("agent_id", "instance__seed", "instance_id")
    )
    return [
        RunRecord(
            run_id=row["first"],
            agent_id=row["agent_id"],
            agent_slug=row["slug"],
            agent_name=row["name"],
            is_baseline=bool(row["baseline"]),
            environment=row["environment"],
            difficulty=row["difficulty"],
            instance_id=row["instance_id"],
            seed=row["seed"],
            state=RunState.FINISHED,
            score=row["mean"],
            is_imported=row["imported"],
            player_class=row["player_class"],
        )
        for row in rows
    ]


def own_means(organization: Organization, table_filter: TableFilter, metrics: tuple[Metric, ...]) -> list[Means]:
    """Means over the instances that each agent finished on each difficulty; several runs on one count as their mean.

    A metric's mean is over the runs that have it.
    """
    values = {metric.key: metric_number(metric.key) for metric in metrics}
    has_metric = {key: Q(IsNull(value, False)) for key, value in values.items()}
    rows: Iterable[Any] = (
        _scored(organization, table_filter)
        .values("agent_id", "instance__difficulty")
        .annotate(
            scores=Floats("score"),
            instances=Integers("instance_id"),
            reasons=F("agent__reasoning"),
            released=F("agent__release_date"),
            **AGENT,
            **{f"values_{key}": Floats(value, filter=has_metric[key]) for key, value in values.items()},
            **{f"of_{key}": Integers("instance_id", filter=has_metric[key]) for key in values},
        )
        .order_by("agent__name", "agent_id", "instance__difficulty")
    )
    return [
        Means(
            agent_id=row["agent_id"],
            slug=row["slug"],
            name=row["name"],
            model=row["model"],
            kind=kind_of(row["imported"], bool(row["baseline"]), row["player_class"]),
            reasoning=row["reasons"],
            released=row["released"],
            difficulty=row["instance__difficulty"],
            score=_measured(row["instances"], row["scores"]).percent,
            runs=len(row["scores"]),
            measured={key: _measured(of, row[f"values_{key}"]) for key in values if len(of := row[f"of_{key}"])},
        )
        for row in rows
    ]


def _measured(instances: NDArray[np.int64], shares: NDArray[np.float64]) -> Measured:
    return Measured(100 * float(instance_means(instances, shares).mean()), len(instances))


def litmus_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    """Finished runs of the litmus tests that are shown run by run, under the page's shared filters. One query."""
    runs = records_of(organization=organization, litmus_filter=litmus_filter(table_filter), metrics=())
    return [run for run in runs if parts_of(run.environment).has_litmus_strip and run.base == "main" and run.is_scored]


def litmus_filter(table_filter: TableFilter) -> LitmusFilter:
    """A filter of litmus tests with the values that it shares with a filter of benchmarks."""
    shared = ("rows", "generator", "start", "end", "tag", "mixed", "agents")
    variant = table_filter.variant if texts_slug(table_filter.variant) else LitmusFilter.default("variant")
    return LitmusFilter(variant=variant, **{name: getattr(table_filter, name) for name in shared})


def _scored(organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    runs = benchmark_runs(organization=organization, table_filter=table_filter)
    return runs.filter(SCORED)
