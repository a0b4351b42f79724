"""Reads for the benchmark table: the database averages the runs of each instance."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Avg, Count, IntegerField, Min, Q, QuerySet
from django.db.models.functions import Cast

from analysis.base.table import Kind
from analysis.benchmark.table import InstanceScore, Player, ScoredRun
from runs.models import Run, RunState

SCORED = Q(state=RunState.FINISHED, score__isnull=False)


def instance_scores(runs: QuerySet[Run]) -> list[InstanceScore]:
    """One row for each agent and instance. One query."""
    rows: Iterable[Any] = (
        runs.order_by()
        .values_list("agent_id", "instance__environment", "instance__difficulty", "instance_id")
        .annotate(
            mean_score=Avg("score", filter=SCORED),
            all_solved=Min(Cast("solved", IntegerField()), filter=SCORED),
            scored=Count("id", filter=SCORED),
            runs=Count("id"),
        )
        .order_by("agent_id", "instance__seed", "instance_id")
    )
    return [
        InstanceScore(
            agent,
            environment,
            difficulty,
            instance,
            mean,
            None if solved is None else bool(solved),
            scored,
            runs - scored,
        )
        for agent, environment, difficulty, instance, mean, solved, scored, runs in rows
    ]


def players(runs: QuerySet[Run]) -> list[Player]:
    """The agents of the runs. An agent with imported runs counts as imported. One query."""
    rows: Iterable[Any] = (
        runs.order_by()
        .values_list("agent_id", "agent__slug", "agent__name", "agent__baseline")
        .annotate(imported=Count("id", filter=Q(imported=True)))
        .order_by("agent_id")
    )
    return [
        Player(agent, slug, name, Kind.IMPORTED if imported else Kind.BASELINE if baseline else Kind.OWN)
        for agent, slug, name, baseline, imported in rows
    ]


def scored_runs(runs: QuerySet[Run]) -> list[ScoredRun]:
    """The runs behind a strip plot. One query."""
    names = ("id", "agent_id", "instance__difficulty", "instance__seed", "score", "solved")
    rows: Iterable[Any] = runs.filter(SCORED).order_by("agent_id", "score", "id").values_list(*names)
    return [ScoredRun(*row) for row in rows]
