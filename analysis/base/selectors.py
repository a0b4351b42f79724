"""Database reads of the runs that fit a filter, and of the conditions under which agents played them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    FloatField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat, NullIf
from django.db.models.lookups import In

from accounts.models import Organization
from analysis.base.filters import LeaderboardFilter
from analysis.base.table import RunRecord
from environments.base import Outcome
from infrastructure.fields import JSONText
from infrastructure.figures.colours import AgentStyle, agent_styles
from runs.conditions import difference
from runs.models import Agent, Period, PlayerClass, PromptVariant, Run, RunState
from runs.models.runs import NOT_PLAYED
from workspace.discussion.selectors.tags import runs_tagged


def fitting_runs(*, organization: Organization, run_filter: LeaderboardFilter) -> QuerySet[Run]:
    """Runs that fit all filters but the generator. Runs that a decided comparison did not need are left out."""
    runs = Run.objects.filter(launched_in(run_filter.start, run_filter.end), organization=organization).exclude(
        NOT_PLAYED
    )
    if run_filter.agents:
        runs = runs.filter(agent__slug__in=run_filter.agents)
    if run_filter.tag is not None:
        runs = runs.filter(runs_tagged(organization=organization, tag_id=run_filter.tag))
    # Published rows have no runs.
    kinds = {
        "own": Q(imported=False, agent__baseline="", agent__player_class=PlayerClass.SITE),
        "baseline": Q(imported=False) & ~Q(agent__baseline=""),
        "imported": Q(imported=True),
        "outside": Q(agent__player_class=PlayerClass.OUTSIDE),
        "human": Q(agent__player_class=PlayerClass.HUMAN),
    }
    conditions = [kinds[row] for row in dict.fromkeys(run_filter.rows) if row in kinds]
    return runs.filter(reduce(or_, conditions)) if conditions else runs.none()


def launched_in(start: date | None, end: date | None) -> Q:
    """A filter for runs launched between two days in UTC, both included. None means no bound."""
    days = Q()
    if start:
        days &= Q(created_at__gte=datetime.combine(start, time.min, UTC))
    if end:
        days &= Q(created_at__lt=datetime.combine(end + timedelta(days=1), time.min, UTC))
    return days


def run_records(
    runs: QuerySet[Run], metrics: Iterable[str] = (), order: Sequence[str] = ("agent_id",)
) -> list[RunRecord]:
    """Runs as plain records, sorted by `order`, then by seed.

    Only the named metrics are read, since some other metrics contain whole price paths.
    """
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


def metric_number(path: str) -> Cast:
    """A metric of a run as a number; a dot in `path` leads into a nested one."""
    return Cast(JSONText("metrics", *path.split(".")), FloatField())


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
    """Names of the organization's own prompts of these environments that have a run, sorted."""
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


RIVAL = NullIf("rival_id", F("agent_id"))
"""The other agent of a market; null if an agent plays alone or against itself. It also affects `conditions_key`."""

GROUP_KEY = Concat(
    Cast("agent_id", CharField()),
    Value(":"),
    Coalesce(Cast(RIVAL, CharField()), Value("")),
    Value(":"),
    "conditions_key",
)
"""The players and conditions of a run as one text. One SQL condition then covers any number of groups."""


@dataclass(frozen=True)
class MinorityGroup:
    """Runs of an agent under other conditions than most of its finished runs.

    key: the conditions of these runs; usual: the conditions of most runs
    """

    agent_id: int
    agent: str
    key: str
    usual: str

    @property
    def description(self) -> str:
        """The group in words: 'of GPT-6 played otherwise (tools not forced)'."""
        how = "played otherwise" if self.key and self.usual else "perhaps played otherwise"
        return f"of {self.agent} {how} ({difference(self.key, self.usual)})"


MinorityGroups = Mapping[str, MinorityGroup]
"""Groups by GROUP_KEY."""


def minority_groups(organization: Organization, runs: QuerySet[Run]) -> MinorityGroups:
    """The groups of runs that were not played under an agent's usual conditions, by GROUP_KEY.

    Each agent, and each pair of agents in a market, has its own usual conditions: those of most finished `runs`. Of
    equally frequent conditions, those of the newest run are usual.

    A run without recorded conditions has an empty key, which counts like any other. Takes one query if every agent of
    the organization has one key only, else two.
    """
    finished = Run.objects.filter(organization=organization, state=RunState.FINISHED).order_by()
    keys = finished.values("agent_id").annotate(first=Min("conditions_key"), last=Max("conditions_key"))
    agents = list(keys.exclude(first=F("last")).values_list("agent_id", flat=True))
    if not agents:
        return {}
    rows: Iterable[Any] = (
        runs.filter(state=RunState.FINISHED, agent__in=agents)
        .order_by()
        .values_list("agent_id", "agent__name", RIVAL, "conditions_key")
        .annotate(Count("id"), Max("id"))
    )
    groups: dict[tuple[int, str, int | None], list[tuple[int, int, str]]] = defaultdict(list)
    for agent_id, agent, rival, key, count, newest in rows:
        groups[agent_id, agent, rival].append((count, newest, key))
    return {
        f"{agent_id}:{rival or ''}:{key}": MinorityGroup(agent_id, agent, key, usual)
        for (agent_id, agent, rival), counted_keys in groups.items()
        for *_, usual in [max(counted_keys)]
        for *_, key in counted_keys
        if key != usual
    }


def in_groups(groups: MinorityGroups) -> Q:
    """A filter for the finished runs of these groups; empty if there are none."""
    if not groups:
        return Q()
    agents = {group.agent_id for group in groups.values()}
    return Q(In(GROUP_KEY, list(groups)), state=RunState.FINISHED, agent__in=agents)


def group_column(groups: MinorityGroups) -> Case | Value:
    """A database expression: GROUP_KEY for runs of these groups, else an empty text."""
    is_minority = in_groups(groups)
    nothing = Value("", output_field=CharField())
    return Case(When(is_minority, then=GROUP_KEY), default=nothing) if is_minority else nothing
