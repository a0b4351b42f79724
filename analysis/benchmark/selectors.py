"""Reads for the benchmark table: the database averages the runs of each instance."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Avg, Count, F, IntegerField, Min, Q, QuerySet
from django.db.models.functions import Cast

from analysis.base.table import kind_of
from analysis.benchmark.table import BenchmarkColumn, CellScores, Player, ScoredRun, cell_summary
from runs.models import Agent, Run, RunState
from stats.summaries import Summary, summary

SCORED = Q(state=RunState.FINISHED, score__isnull=False)
PLACE = {"environment": F("instance__environment"), "difficulty": F("instance__difficulty")}

JOINED = {
    "sqlite": (
        "group_concat(instance_key)",
        # 17 digits are the whole number; a percent sign is doubled, since parameters follow.
        "group_concat(CASE WHEN mean_score IS NULL THEN 'nan' ELSE printf('%%!.17g', mean_score) END)",
    ),
    "postgresql": ("string_agg(instance_key::text, ',')", "string_agg(coalesce(mean_score::text, 'nan'), ',')"),
}
"""The ids of a cell's instances and their scores as texts, since a row for each instance takes twice as long to read."""


def cell_scores(runs: QuerySet[Run]) -> list[CellScores]:
    """One row for each agent and column; the database averages the runs of each instance. One query."""
    try:
        sql, parameters = by_instance(runs, player=F("agent_id"), **PLACE).query.sql_with_params()
    except EmptyResultSet:
        return []
    ids, scores = JOINED[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT player, environment, difficulty, {ids}, {scores}, SUM(all_solved), SUM(scored), SUM(number),"  # noqa: S608
            f" SUM(imports) FROM ({sql}) AS by_instance GROUP BY player, environment, difficulty ORDER BY player",
            parameters,
        )
        rows = cursor.fetchall()
    return [
        CellScores(
            agent,
            BenchmarkColumn(environment, difficulty),
            np.array(ids.split(","), dtype=np.int64),
            np.array(scores.split(","), dtype=np.float64),
            None if solved is None else int(solved),
            int(scored),
            int(number) - int(scored),
            bool(imports),
        )
        for agent, environment, difficulty, ids, scores, solved, scored, number, imports in rows
    ]


def by_instance(runs: QuerySet[Run], **fields: Any) -> QuerySet[Run, Any]:
    """A row for each instance and `fields`: mean score of its finished runs, whether all solved it, numbers of runs."""
    return (
        runs.order_by()
        .values(instance_key=F("instance_id"), **fields)
        .annotate(
            mean_score=Avg("score", filter=SCORED),
            all_solved=Min(Cast("solved", IntegerField()), filter=SCORED),
            scored=Count("id", filter=SCORED),
            number=Count("id"),
            imports=Count("id", filter=Q(imported=True)),
        )
    )


def runs_summary(runs: QuerySet[Run]) -> Summary:
    """The summary of one agent's runs in one column. One query."""
    cells = cell_scores(runs)
    return cell_summary(cells[0]) if cells else summary([], of=0)


def players(cells: Sequence[CellScores]) -> list[Player]:
    """The agents of the cells. An agent with imported runs counts as imported. One query."""
    imported = {cell.agent_id for cell in cells if cell.is_imported}
    agents = Agent.objects.filter(pk__in={cell.agent_id for cell in cells}).order_by("pk")
    return [
        Player(agent, slug, name, kind_of(agent in imported, bool(baseline), played_by))
        for agent, slug, name, baseline, played_by in agents.values_list(
            "pk", "slug", "name", "baseline", "player_class"
        )
    ]


def scored_runs(runs: QuerySet[Run]) -> list[ScoredRun]:
    """The runs behind a strip plot. One query."""
    names = ("id", "agent_id", "instance__difficulty", "instance__seed", "score", "solved")
    rows: Iterable[Any] = runs.filter(SCORED).order_by("agent_id", "score", "id").values_list(*names)
    return [ScoredRun(*row) for row in rows]
