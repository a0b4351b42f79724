"""What a month's money went to: agents and experiments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, Q, Sum, When

from accounts.models import Organization
from environments.base import SINGLE_SEAT
from runs.models import Agent, Exchange, Experiment
from runs.models.records import WASTE
from runs.selectors.spending import Spent, months_before

PAGE_SIZE = 25
SORTS = ("name", "calls", "waste", "cost")


@dataclass(frozen=True)
class SpentOn:
    """`key` is an agent's slug or an experiment's number, None for what is no longer there."""

    name: str
    key: object
    calls: int
    cost: int
    waste: int


@dataclass(frozen=True)
class Breakdown:
    agents: list[SpentOn]
    experiments: list[SpentOn]

    def experiment_page(self, *, text: str, sort: str, page: object) -> Page:
        """Experiments whose name holds a text, sorted by one of SORTS with '-' for descending."""
        rows = [row for row in self.experiments if text.lower() in row.name.lower()]
        key = sort.removeprefix("-")
        if key in SORTS:
            rows.sort(key=lambda row: getattr(row, key).lower() if key == "name" else getattr(row, key))
            rows = rows[::-1] if sort.startswith("-") else rows
        return Paginator(rows, PAGE_SIZE).get_page(page)


def breakdown(*, organization: Organization, whole: Spent) -> Breakdown:
    """The month's calls by agent and by experiment, dearest first; `whole` is what the organization spent in it.

    Calls of deleted experiments are gone, their cost is not: it is the difference.
    """
    models = {
        pk: (name, slug)
        for pk, name, slug in Agent.objects.filter(organization=organization, baseline="", imported=False).values_list(
            "id", "name", "slug"
        )
    }
    rows = [row for row in _sums(organization, whole.month) if row["playing"] in models]
    numbers = {row["run__experiment"] for row in rows}
    named = Experiment.objects.filter(pk__in=numbers).values_list("id", "name")
    agents = _grouped(rows, "playing", models)
    experiments = _grouped(rows, "run__experiment", {pk: (name, pk) for pk, name in named})
    gone = whole.cost_nano - sum(item.cost for item in experiments)
    if gone > 0:
        agents.append(SpentOn("In deleted experiments", None, 0, gone, 0))
        experiments.append(SpentOn("Deleted experiments", None, 0, gone, 0))
    return Breakdown(agents, experiments)


def _sums(organization: Organization, month: date) -> list[dict[str, Any]]:
    """One aggregate over the month's calls, by experiment and by the agent that made them."""
    after = months_before(month, -1)
    begin, end = (datetime(day.year, day.month, 1, tzinfo=UTC) for day in (month, after))
    calls = Exchange.objects.filter(
        run__organization=organization, run__progressed_at__gte=begin, created_at__gte=begin, created_at__lt=end
    )
    alone = Q(run__rival=None) | Q(seat=SINGLE_SEAT)
    rows = calls.values("run__experiment", playing=Case(When(alone, then=F("run__agent")), default=F("run__rival")))
    waste = Sum("cost_nano", filter=Q(state__in=WASTE), default=0)
    return list(rows.annotate(calls=Count("id"), cost=Sum("cost_nano"), waste=waste).order_by())


def _grouped(rows: list[dict[str, Any]], column: str, named: Mapping[int, tuple[str, object]]) -> list[SpentOn]:
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        for place, name in enumerate(("calls", "cost", "waste")):
            sums[row[column]][place] += row[name]
    found = [SpentOn(*named.get(pk, ("", None)), *values) for pk, values in sums.items()]
    return sorted(found, key=lambda item: (-item.cost, item.name.lower()))
