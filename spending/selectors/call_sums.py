"""Number and cost of model calls in a span of time, by agent and experiment, of notes analyses, or by day.

Reading every call would be slow. A run that was played within the span (or within a day) has its sums in its own row, and
only its calls without a reply are read, for the waste. Other runs, and markets of two agents, are summed up from calls.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, Q, QuerySet, Sum
from django.db.models.functions import Cast, Substr

from accounts.models import Organization
from runs.models import Exchange, ExchangeState, JobCall, Run
from runs.models.records import WASTE

CLOCK_MARGIN = timedelta(minutes=1)
"""The clocks of workers and database differ, so runs that begin or end this close to a border are summed up from calls."""

FEW_RUNS = 500
"""A statement takes no longer list of runs. With more, the calls of all runs of the organization are read."""

UNANSWERED = [state for state in ExchangeState if state != ExchangeState.REPLIED]
COLUMNS = ("id", "experiment_id", "agent_id", "rival_id", "cost_nano", "queries", "started_at", "progressed_at")
SUMS = {
    "calls": Count("id"),
    "cost": Sum("cost_nano", default=0),
    "waste": Sum("cost_nano", filter=Q(state__in=WASTE), default=0),
}

Span = tuple[datetime, datetime]
"""From the first moment up to, but without, the second."""

Row = dict[str, Any]


@dataclass(frozen=True)
class CallSums:
    """Calls of one agent in one experiment. Amounts are billionths of a dollar; `waste` is part of `cost`."""

    experiment: int
    agent: int
    calls: int
    cost: int
    waste: int


@dataclass
class DaySpent:
    """Calls of one day (UTC), with the amounts of CallSums."""

    day: date
    calls: int = 0
    cost: int = 0
    waste: int = 0

    def add(self, row: Row) -> None:
        self.calls += row["calls"]
        self.cost += row["cost"]
        self.waste += row["waste"]


def sums_by_agent(*, organization: Organization, span: Span) -> Iterator[CallSums]:
    """Sums within the span; an agent and experiment may come several times. Three queries at most."""
    runs = _runs(organization, span)
    whole = {run for run, row in runs.items() if row["rival_id"] is None and _within(row, span)}
    for run in whole:
        row = runs[run]
        yield CallSums(row["experiment_id"], row["agent_id"], row["calls"], row["cost"], row["waste"])
    if split := runs.keys() - whole:
        calls = _calls(organization, span, split)
        for run, agent, *sums in calls.values_list("run", "agent").annotate(**SUMS):
            if run in split:
                yield CallSums(runs[run]["experiment_id"], agent, *sums)


def job_sums(*, organization: Organization, span: Span) -> Row:
    """calls, cost and waste of all notes analyses within the span. One query."""
    return _job_calls(organization, span).aggregate(**SUMS)


def sums_by_day(*, organization: Organization, span: Span) -> list[DaySpent]:
    """Every day of a span that begins and ends at midnight, with the calls of notes analyses. Four queries at most."""
    first = span[0].date()
    days = [DaySpent(first + timedelta(days=number)) for number in range((span[1] - span[0]).days)]
    split = set()
    for run, row in _runs(organization, span).items():
        midnight = row["progressed_at"].replace(hour=0, minute=0, second=0, microsecond=0)
        if not _within(row, (midnight, midnight + timedelta(days=1))):
            split.add(run)
        elif midnight < span[1]:
            days[(midnight.date() - first).days].add(row)
    # Both databases write moments in UTC and begin with the day. Cutting it off is the fastest way to it.
    day = Substr(Cast("created_at", CharField(max_length=40)), 1, 10)
    rows: list[Any] = list(_job_calls(organization, span).annotate(day=day).values("day").annotate(**SUMS))
    if split:
        by = ("day", "run") if len(split) > FEW_RUNS else ("day",)
        calls = _calls(organization, span, split).annotate(day=day).values(*by).annotate(**SUMS)
        rows += [row for row in calls if "run" not in row or row["run"] in split]
    for row in rows:
        days[(date.fromisoformat(row["day"]) - first).days].add(row)
    return days


def _runs(organization: Organization, span: Span) -> dict[int, Row]:
    """Runs of models that may have made calls within the span, with the sums of all their calls."""
    near = Run.objects.filter(organization=organization, progressed_at__gte=span[0], created_at__lt=span[1])
    models = near.filter(Q(agent__baseline="") | Q(rival__baseline=""))
    runs = {row["id"]: row | {"calls": row["queries"], "cost": row["cost_nano"]} for row in models.values(*COLUMNS)}
    unanswered = Exchange.objects.filter(
        run__organization=organization,
        run__progressed_at__gte=span[0],
        run__created_at__lt=span[1],
        state__in=UNANSWERED,
    )
    sums = unanswered.order_by().values_list("run").annotate(number=SUMS["calls"], lost=SUMS["waste"])
    unreplied = {run: own for run, *own in sums}
    for run, row in runs.items():
        number, row["waste"] = unreplied.get(run, (0, 0))
        row["calls"] += number
    return runs


def _within(row: Row, span: Span) -> bool:
    started, progressed = row["started_at"], row["progressed_at"]
    return bool(started and started >= span[0] + CLOCK_MARGIN and progressed < span[1] - CLOCK_MARGIN)


def _job_calls(organization: Organization, span: Span) -> QuerySet[JobCall]:
    calls = JobCall.objects.filter(organization=organization, created_at__gte=span[0], created_at__lt=span[1])
    return calls.order_by()


def _calls(organization: Organization, span: Span, runs: Collection[int]) -> QuerySet[Exchange]:
    calls = Exchange.objects.filter(agent__baseline="", created_at__gte=span[0], created_at__lt=span[1]).order_by()
    if len(runs) <= FEW_RUNS:
        return calls.filter(run__in=list(runs))
    return calls.filter(run__organization=organization, run__progressed_at__gte=span[0])
