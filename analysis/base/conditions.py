"""Keeps apart runs of one agent whose models were asked otherwise, or in which another model answered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, CharField, Count, F, Max, Min, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Coalesce, Concat, NullIf
from django.db.models.lookups import In

from accounts.models import Organization
from runs.conditions import difference
from runs.models import Run, RunState

RIVAL = NullIf("rival_id", F("agent_id"))
"""The other agent of a market, on which the key depends too."""

GROUP_KEY = Concat(
    Cast("agent_id", CharField()),
    Value(":"),
    Coalesce(Cast(RIVAL, CharField()), Value("")),
    Value(":"),
    "conditions_key",
)
"""Who played a run and under which conditions, as one text: one look-up for a run, however many groups there are."""


@dataclass(frozen=True)
class MinorityGroup:
    """Runs of an agent under other conditions than most of its finished runs.

    key: of these conditions; usual: of those of most runs
    """

    agent_id: int
    agent: str
    key: str
    usual: str

    @property
    def description(self) -> str:
        """'of GPT-6 played otherwise (tools not forced)'"""
        how = "played otherwise" if self.key and self.usual else "perhaps played otherwise"
        return f"of {self.agent} {how} ({difference(self.key, self.usual)})"


MinorityGroups = Mapping[str, MinorityGroup]
"""By GROUP_KEY."""


def minority_groups(organization: Organization, runs: QuerySet[Run]) -> MinorityGroups:
    """The groups of each agent, and each pair in a market, but that of most finished `runs`, or of the newest among equals.

    A run of which nothing is recorded has an empty key, which is a key like the others. One query if every agent of the
    organization has one key only, else two.
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
    """GROUP_KEY of runs of these groups, else an empty text."""
    is_minority = in_groups(groups)
    nothing = Value("", output_field=CharField())
    return Case(When(is_minority, then=GROUP_KEY), default=nothing) if is_minority else nothing
