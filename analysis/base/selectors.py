"""Reads for tables and figures, always of one organization, with a constant number of queries."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.models import Organization
from analysis.base.filters import BoardFilter
from analysis.base.table import RunRecord
from environments.base import Outcome
from infrastructure.figures.colours import AgentStyle, agent_styles
from runs.models import Agent, Period, PlayerClass, PromptVariant, Run
from runs.models.runs import NOT_PLAYED
from workspace.discussion.selectors.tags import runs_tagged


def fitting_runs(*, organization: Organization, board_filter: BoardFilter) -> QuerySet[Run]:
    """Runs that fit the filters of every leaderboard but the generator; not those that a decided comparison left out."""
    runs = Run.objects.filter(launched_in(board_filter.start, board_filter.end), organization=organization).exclude(
        NOT_PLAYED
    )
    if board_filter.agents:
        runs = runs.filter(agent__slug__in=board_filter.agents)
    if board_filter.tag is not None:
        runs = runs.filter(runs_tagged(organization=organization, tag_id=board_filter.tag))
    # Published rows have no runs.
    kinds = {
        "own": Q(imported=False, agent__baseline="", agent__player_class=PlayerClass.SITE),
        "baseline": Q(imported=False) & ~Q(agent__baseline=""),
        "imported": Q(imported=True),
        "outside": Q(agent__player_class=PlayerClass.OUTSIDE),
        "human": Q(agent__player_class=PlayerClass.HUMAN),
    }
    conditions = [kinds[row] for row in dict.fromkeys(board_filter.rows) if row in kinds]
    return runs.filter(reduce(or_, conditions)) if conditions else runs.none()


def launched_in(start: date | None, end: date | None) -> Q:
    """Runs launched from the first to the last day in UTC, both included; None means open."""
    days = Q()
    if start:
        days &= Q(created_at__gte=datetime.combine(start, time.min, UTC))
    if end:
        days &= Q(created_at__lt=datetime.combine(end + timedelta(days=1), time.min, UTC))
    return days


def run_records(
    runs: QuerySet[Run], metrics: Iterable[str] = (), order: Sequence[str] = ("agent_id",)
) -> list[RunRecord]:
    """Plain records in an order, then by seed. Only the named metrics are read, since metrics hold whole price paths."""
    metric_names = tuple(metrics)
    rows: Iterable[Any] = runs.order_by(*order, "instance__seed", "id").values(
        "agent_id",
        "rival_id",
        "variant",
        "instance_id",
        "state",
        "score",
        "solved",
        run_id=F("id"),
        agent_slug=F("agent__slug"),
        agent_name=F("agent__name"),
        baseline=F("agent__baseline"),
        player_class=F("agent__player_class"),
        rival_name=F("rival__name"),
        is_imported=F("imported"),
        environment=F("instance__environment"),
        difficulty=F("instance__difficulty"),
        seed=F("instance__seed"),
        **{f"metric_{name}": F(f"metrics__{name}") for name in metric_names},
    )
    records = []
    for row in rows:
        values = {name: row.pop(f"metric_{name}") for name in metric_names}
        if row["rival_id"] in (None, row["agent_id"]):
            row |= {"rival_id": None, "rival_name": ""}
        records.append(RunRecord(is_baseline=bool(row.pop("baseline")), metrics=values, **row))
    return records


def played_lengths(*, organization: Organization) -> list[int]:
    """The numbers of periods of the organization's runs, shortest first."""
    lengths = Run.objects.filter(organization=organization).order_by("periods").values_list("periods", flat=True)
    return list(lengths.distinct())


def played_agents(*, organization: Organization) -> list[tuple[str, str]]:
    """(slug, name) of every own agent and baseline with a run, by name."""
    agents = Agent.objects.filter(
        Exists(Run.objects.filter(agent=OuterRef("pk"))), organization=organization, imported=False
    )
    return list(agents.order_by("name").values_list("slug", "name"))


def played_prompts(*, organization: Organization, environments: Iterable[str]) -> list[str]:
    """The own prompts of these environments with a run, by name."""
    used = Exists(Run.objects.filter(prompts=OuterRef("pk")))
    rows = PromptVariant.objects.filter(used, organization=organization, environment__in=environments)
    return sorted({row.variant for row in rows.only("base", "slug")})


def styles_of_agents(*, organization: Organization) -> dict[int, AgentStyle]:
    """One colour per agent, by the order of their first runs."""
    first = Run.with_deleted.filter(agent=OuterRef("pk")).order_by("id").values("id")[:1]
    agents = Agent.objects.annotate(first=Subquery(first)).filter(organization=organization, first__isnull=False)
    rows = agents.order_by("first").values_list("id", "baseline")
    return agent_styles((agent, bool(baseline)) for agent, baseline in rows)


def outcomes_of_run(run: Run) -> list[Outcome]:
    periods = Period.objects.filter(run=run).order_by("index")
    rows: Iterable[tuple[Any, ...]] = periods.values_list("index", "action", "result", "quality", "ended")
    return [Outcome(*row) for row in rows]
