"""What calls cost, by run and agent or by day, without reading every call.

A run that was played within one month (or day) has its sums in its row; of its calls only those without a reply are read,
for the waste. Runs that reach over a border, and markets of two models, are summed up call by call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, Q, QuerySet, Sum
from django.db.models.functions import Cast, Substr

from accounts.models import Organization
from environments.base import SINGLE_SEAT
from runs.models import Exchange, ExchangeState, Run
from runs.models.records import WASTE

CLOCKS = timedelta(minutes=1)
"""Runs that begin or end so close to a border are summed up by calls: workers' clocks differ from the database's."""

FEW_RUNS = 500
"""A longer list exceeds what a statement takes; then runs that need no sums are read along."""

UNANSWERED = [state for state in ExchangeState if state != ExchangeState.REPLIED]
COLUMNS = ("id", "experiment_id", "agent_id", "rival_id", "agent__baseline", "rival__baseline")
SUMS = {
    "calls": Count("id"),
    "cost": Sum("cost_nano"),
    "waste": Sum("cost_nano", filter=Q(state__in=WASTE), default=0),
}

Span = tuple[datetime, datetime]
"""From a moment on up to before another."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """Calls of an agent in an experiment's run, in billionths of a dollar; `waste` is part of `cost`."""

    experiment: int
    agent: int
    calls: int
    cost: int
    waste: int


@dataclass
class DaySpent:
    """As a Cell, of a day (UTC)."""

    day: date
    calls: int = 0
    cost: int = 0
    waste: int = 0

    def add(self, calls: int, cost: int, waste: int) -> None:
        self.calls, self.cost, self.waste = self.calls + calls, self.cost + cost, self.waste + waste


def spent_cells(*, organization: Organization, span: Span) -> Iterator[Cell]:
    """What was called within the span, in two queries, or three where runs reach over its ends."""
    rows, unanswered = _played(organization, span), _unanswered(organization, span)
    split: dict[int, Row] = {}
    for run, row in rows.items():
        if _two_models(row) or not _within(row, span):
            split[run] = row
            continue
        agent = row["agent_id"] if row["agent__baseline"] == "" else row["rival_id"]
        calls, waste = unanswered.get(run, (0, 0))
        yield Cell(row["experiment_id"], agent, row["queries"] + calls, row["cost_nano"], waste)
    if split:
        for found in _calls(organization, span, split).values("run", "seat").annotate(**SUMS):
            row = split.get(found["run"], {})
            second = row.get("rival_id") is not None and found["seat"] != SINGLE_SEAT
            whose = "rival" if second else "agent"
            if row.get(f"{whose}__baseline") == "":
                sums = (found[name] for name in SUMS)
                yield Cell(row["experiment_id"], row[f"{whose}_id"], *sums)


def spent_days(*, organization: Organization, span: Span) -> list[DaySpent]:
    """Every day of a span that begins and ends at midnight; three queries at most."""
    first = span[0].date()
    days = [DaySpent(first + timedelta(days=number)) for number in range((span[1] - span[0]).days)]
    rows, unanswered = _played(organization, span), _unanswered(organization, span)
    split = set()
    for run, row in rows.items():
        midnight = row["progressed_at"].replace(hour=0, minute=0, second=0, microsecond=0)
        if not _within(row, (midnight, midnight + timedelta(days=1))):
            split.add(run)
        elif midnight < span[1]:
            calls, waste = unanswered.get(run, (0, 0))
            days[(midnight.date() - first).days].add(row["queries"] + calls, row["cost_nano"], waste)
    if split:
        # Both databases write moments in UTC and begin with the day; cutting it off is their fastest way to it.
        day = Substr(Cast("created_at", CharField(max_length=40)), 1, 10)
        calls = _calls(organization, span, split)
        by_day = ("day", "run") if len(split) > FEW_RUNS else ("day",)
        for found in calls.annotate(day=day).values(*by_day).annotate(**SUMS):
            if found.get("run", None) is None or found["run"] in split:
                place = (date.fromisoformat(found["day"]) - first).days
                days[place].add(*(found[name] for name in SUMS))
    return days


def _played(organization: Organization, span: Span) -> dict[int, Row]:
    """Runs of models that may have made calls within the span."""
    rows = Run.objects.filter(organization=organization, progressed_at__gte=span[0], created_at__lt=span[1])
    rows = rows.filter(Q(agent__baseline="") | Q(rival__baseline=""))
    return {row["id"]: row for row in rows.values(*COLUMNS, "cost_nano", "queries", "started_at", "progressed_at")}


def _within(row: Row, span: Span) -> bool:
    started, progressed = row["started_at"], row["progressed_at"]
    return bool(started and started >= span[0] + CLOCKS and progressed < span[1] - CLOCKS)


def _two_models(row: Row) -> bool:
    return row["agent__baseline"] == "" and row["rival__baseline"] == ""


def _unanswered(organization: Organization, span: Span) -> dict[int, tuple[int, int]]:
    """Calls without a reply and what of them is waste, by run."""
    calls = Exchange.objects.filter(
        run__organization=organization,
        run__progressed_at__gte=span[0],
        run__created_at__lt=span[1],
        state__in=UNANSWERED,
    )
    sums = calls.order_by().values_list("run").annotate(calls=SUMS["calls"], waste=SUMS["waste"])
    return {run: (number, waste) for run, number, waste in sums}


def _calls(organization: Organization, span: Span, runs: Collection[int]) -> QuerySet[Exchange]:
    calls = Exchange.objects.filter(created_at__gte=span[0], created_at__lt=span[1]).order_by()
    if len(runs) <= FEW_RUNS:
        return calls.filter(run__in=list(runs))
    return calls.filter(run__organization=organization, run__progressed_at__gte=span[0])
