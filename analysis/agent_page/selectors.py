"""Database reads for the page of an agent, and the figures at its top. The database computes the sums."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, IntegerField, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from analysis.agent_page.history import AgentFilter, Conditions, HistoryRow, Sums, cost_per_point, interval_of
from environments.registry import BENCHMARKS, LITMUS_TESTS
from infrastructure.text.formats import DASH, counted, money, score
from runs.findings.selectors import AgentFindings, agent_table
from runs.models import Agent, Run, RunState
from runs.selectors.cells import SCORED, environment_title
from runs.selectors.experiments import WITHOUT_BULK
from stats.means import INTERVAL_FROM, MANY
from stats.summaries import mean

LATEST_RUNS, MOST_OPPONENTS = 10, 8
MOST_DOTS = 2_000
"""The most runs in the figure of scores over time; the newest ones are shown."""

CONDITION_COLUMNS = {
    "environment": F("instance__environment"),
    "difficulty": F("instance__difficulty"),
    "prompt": F("variant"),
    "length": F("periods"),
    "generator": F("instance__generator"),
    "is_imported": F("imported"),
    "rival_name": Coalesce("rival__name", Value("")),
}
"""The fields of Conditions, in their order."""

CONDITION_NAMES = ", ".join(f'"{name}"' for name in CONDITION_COLUMNS)
SUMS = f"""
    SELECT {CONDITION_NAMES}, COUNT(*), SUM(scored), AVG(mean_score), AVG(mean_score * mean_score),
        SUM(all_solved), SUM(cost), SUM(total)
    FROM ({{}}) AS by_instance GROUP BY {CONDITION_NAMES}
"""  # noqa: S608


@dataclass(frozen=True)
class Opponent:
    """Another agent, and the number of benchmark instances that both agents have finished."""

    slug: str
    name: str
    imported: bool
    instances: int


@dataclass(frozen=True)
class ScoredRun:
    """A finished run, drawn as a dot over time."""

    run_id: int
    launched: datetime
    environment: str
    difficulty: str
    seed: int
    variant: str
    score: float


def agent_or_404(*, organization: Organization, slug: str) -> Agent:
    if "\x00" in slug:  # PostgreSQL refuses NUL in any text
        raise Http404
    return get_object_or_404(Agent.objects.select_related("endpoint"), organization=organization, slug=slug)


def totals_of(agent: Agent) -> dict[str, int]:
    """Totals over the agent's runs in all states: runs, finished, cost_nano, thinking_nano, calls."""
    sums = {name: Sum(name, default=0) for name in ("cost_nano", "thinking_nano")}
    finished = Count("id", filter=Q(state=RunState.FINISHED))
    return agent.runs.aggregate(runs=Count("id"), finished=finished, calls=Sum("queries", default=0), **sums)


def history_of(agent: Agent) -> list[HistoryRow]:
    """A row for each environment, difficulty and further conditions. Two queries, the second only for intervals."""
    sql, parameters = _scores_by_instance(agent).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(SUMS.replace("{}", sql), parameters)
        rows = cursor.fetchall()
    sums = [_sums_from_row(row) for row in rows]
    scores = _scores(agent, [cell.conditions for cell in sums if INTERVAL_FROM <= cell.instances <= MANY])
    is_priced = not agent.imported and (agent.is_baseline or agent.is_priced)
    return [
        HistoryRow(cell, interval_of(cell, scores[cell.conditions]), is_priced and not cell.conditions.imported)
        for cell in sorted(sums, key=lambda cell: cell.conditions.order)
    ]


def histories_of(*, organization: Organization, agent_filter: AgentFilter) -> list[tuple[Agent, HistoryRow]]:
    """The rows of the chosen agents, in the order of their names. Two queries for each agent."""
    return [
        (agent, row)
        for agent in organization.agents.order_by("name", "id")
        if not agent_filter.agents or agent.slug in agent_filter.agents
        for row in history_of(agent)
        if agent_filter.environment in ("", row.conditions.environment)
    ]


def findings_of(*, organization: Organization, agent_filter: AgentFilter) -> list[AgentFindings]:
    """Findings of the chosen agents. Four queries."""
    agents = agent_table(organization=organization, environment=agent_filter.environment).agents
    return [agent for agent in agents if not agent_filter.agents or agent.slug in agent_filter.agents]


def _scores_by_instance(agent: Agent) -> QuerySet[Run, Any]:
    """A row for each instance and conditions: mean score, whether all runs solved it, number, cost and points of runs."""
    return (
        agent.runs.filter(SCORED)
        .order_by()
        .values(instance_key=F("instance_id"), **CONDITION_COLUMNS)
        .annotate(
            mean_score=Avg("score"),
            all_solved=Min(Cast("solved", IntegerField())),
            scored=Count("id"),
            cost=Sum("cost_nano"),
            total=100 * Sum("score"),
        )
    )


def _sums_from_row(row: tuple[Any, ...]) -> Sums:
    environment, difficulty, variant, periods, generator, imported, rival, *numbers = row
    instances, runs, mean, squares, solved, cost, points = numbers
    conditions = Conditions(environment, difficulty, variant, periods, generator, bool(imported), rival)
    solved_count = None if solved is None else int(solved)
    return Sums(conditions, instances, int(runs), mean, squares, solved_count, int(cost), points)


def _scores(agent: Agent, groups: Iterable[Conditions]) -> dict[Conditions, list[float]]:
    """The scores of the instances, by the given conditions."""
    scores: dict[Conditions, list[float]] = defaultdict(list)
    filters = [Q(*zip(CONDITION_COLUMNS, vars(group).values(), strict=True)) for group in groups]
    if filters:
        rows: Iterable[Any] = (
            _scores_by_instance(agent).filter(reduce(or_, filters)).values_list(*CONDITION_COLUMNS, "mean_score")
        )
        for *conditions, mean in rows:
            scores[Conditions(*conditions)].append(mean)
    return scores


def latest_runs(agent: Agent) -> list[Run]:
    runs = agent.runs.select_related("instance", "experiment", "rival").defer(*WITHOUT_BULK)
    return list(runs.order_by("-id")[:LATEST_RUNS])


def opponents_of(agent: Agent) -> list[Opponent]:
    """Agents that finished the same instances of the benchmarks, those with the most in common first."""
    finished = Run.objects.filter(state=RunState.FINISHED, instance__environment__in=BENCHMARKS)
    shared = finished.filter(
        organization=agent.organization_id, instance__in=finished.filter(agent=agent).values("instance")
    )
    rows = (
        shared.exclude(agent=agent)
        .values_list("agent__slug", "agent__name", "agent__imported")
        .annotate(common=Count("instance", distinct=True))
        .order_by("-common", "agent__name")[:MOST_OPPONENTS]
    )
    return [Opponent(*row) for row in rows]


def scored_runs(agent: Agent) -> list[ScoredRun]:
    """The newest MOST_DOTS finished runs with a score. One query."""
    columns = (
        "id",
        "created_at",
        "instance__environment",
        "instance__difficulty",
        "instance__seed",
        "variant",
        "score",
    )
    return [ScoredRun(*row) for row in agent.runs.filter(SCORED).order_by("-id").values_list(*columns)[:MOST_DOTS]]


@dataclass(frozen=True)
class Tile:
    label: str
    value: str
    note: str = ""


def tiles_of(agent: Agent, totals: dict[str, int], history: Sequence[HistoryRow]) -> list[Tile]:
    """Finished runs, the mean in each environment, cost, and cost per point.

    A benchmark's mean is over the difficulties that were played under the leaderboard's usual conditions.
    """
    usual = [row for row in history if row.conditions.is_usual]
    main = [row for row in history if row.conditions.variant == "main"]
    tiles = [
        Tile("Finished runs", f"{totals['finished']:,}", f"of {totals['runs']:,}"),
        *(_mean_tile(name, rows) for name in BENCHMARKS if (rows := _rows_in(name, usual))),
        *(_litmus_tile(test, rows[0]) for test in LITMUS_TESTS if (rows := _rows_in(test, main))),
    ]
    if agent.is_baseline:
        return [*tiles, Tile("Cost", "$0.00", "free")]
    if agent.is_outside:
        return [*tiles, Tile("Cost", DASH, "not known here")]
    per_point = cost_per_point([row.sums for row in usual if row.cost_is_known])
    return [*tiles, _cost_tile(agent, totals), Tile("Cost per point", per_point, "of a benchmark score")]


def _rows_in(environment: str, rows: Sequence[HistoryRow]) -> list[HistoryRow]:
    return [row for row in rows if row.conditions.environment == environment]


def _mean_tile(environment: str, rows: Sequence[HistoryRow]) -> Tile:
    difficulties = ", ".join(dict.fromkeys(row.conditions.difficulty for row in rows))
    return Tile(environment_title(environment), score(mean([row.sums.mean for row in rows])), difficulties)


def _litmus_tile(test: str, row: HistoryRow) -> Tile:
    return Tile(environment_title(test), row.form.text(row.sums.mean), row.form.label.lower())


def _cost_tile(agent: Agent, totals: dict[str, int]) -> Tile:
    if agent.imported:
        return Tile("Cost", DASH, "not in the log")
    if not agent.is_priced and totals["calls"]:
        return Tile("Cost", DASH, "no price known")
    thinking = f", {money(totals['thinking_nano'])} for thinking" if totals["thinking_nano"] else ""
    return Tile("Cost", money(totals["cost_nano"]), counted(totals["calls"], "call,calls") + thinking)
