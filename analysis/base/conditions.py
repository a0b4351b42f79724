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

WAY = Concat(
    Cast("agent_id", CharField()),
    Value(":"),
    Coalesce(Cast(RIVAL, CharField()), Value("")),
    Value(":"),
    "conditions_key",
)
"""Who played a run and under which conditions, as one text: one look-up for a run, however many ways there are."""


@dataclass(frozen=True)
class OtherWay:
    """How an agent was played in fewer of its finished runs, and how it usually was, as keys of conditions."""

    agent_id: int
    agent: str
    key: str
    usual: str

    @property
    def words(self) -> str:
        """'of GPT-6 played otherwise (tools not forced)'"""
        how = "played otherwise" if self.key and self.usual else "perhaps played otherwise"
        return f"of {self.agent} {how} ({difference(self.key, self.usual)})"


OtherWays = Mapping[str, OtherWay]
"""By WAY."""


def other_ways(organization: Organization, runs: QuerySet[Run]) -> OtherWays:
    """Of each agent, and each pair in a market: every way but that of most finished `runs`, or of the newest among equals.

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
    ways: dict[tuple[int, str, int | None], list[tuple[int, int, str]]] = defaultdict(list)
    for agent_id, agent, rival, key, count, newest in rows:
        ways[agent_id, agent, rival].append((count, newest, key))
    return {
        f"{agent_id}:{rival or ''}:{key}": OtherWay(agent_id, agent, key, usual)
        for (agent_id, agent, rival), several in ways.items()
        for *_, usual in [max(several)]
        for *_, key in several
        if key != usual
    }


def played_otherwise(ways: OtherWays) -> Q:
    """Finished runs that were played in one of these ways; empty if there are none."""
    if not ways:
        return Q()
    agents = {way.agent_id for way in ways.values()}
    return Q(In(WAY, list(ways)), state=RunState.FINISHED, agent__in=agents)


def way_column(ways: OtherWays) -> Case | Value:
    """WAY of runs that were played otherwise, else an empty text."""
    others = played_otherwise(ways)
    nothing = Value("", output_field=CharField())
    return Case(When(others, then=WAY), default=nothing) if others else nothing
