"""The spending of a month by agent, by experiment and by day, and of jobs outside runs.

Reading every call would be slow. If a run was played entirely within the span (or within a day),
the sums come from the row of the run. Then only its calls without a reply are read, for the waste.
For other runs, and for markets of two agents, the calls are summed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db.models import CharField, Count, F, Q, QuerySet, Sum
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from accounts.models import Organization
from runs.models import Agent, Exchange, ExchangeState, Experiment, JobCall, PlayerClass, Run
from runs.models.records import UNCONFIRMED
from workspace.spending.selectors.months import Sorts, Spent, months_before

CLOCK_MARGIN = timedelta(minutes=1)
"""Runs that begin or end this close to a bound are summed from calls, since clocks of workers and database differ."""

FEW_RUNS = 500
"""Maximum number of run ids in a query. With more, it reads the calls of the whole organization."""

MODEL = Q(agent__baseline="", agent__player_class=PlayerClass.SITE)
"""A filter for runs of a paid agent. Baselines, people and outside agents cost a site nothing."""
RIVAL_MODEL = Q(rival__baseline="", rival__player_class=PlayerClass.SITE)

NOT_CONFIRMED = [state for state in ExchangeState if state != ExchangeState.REPLIED]
COLUMNS = ("id", "rival_id", "started_at", "progressed_at")
SUMS = {
    "calls": Count("id"),
    "cost": Sum("cost_nano", default=0),
    "waste": Sum("cost_nano", filter=Q(state__in=UNCONFIRMED), default=0),
}
UNANSWERED = Count("id", filter=~Q(state=ExchangeState.ESTIMATED))
"""Counts calls without a reply. Calls with an estimated cost have a reply, and are counted in the
row of their run."""

Span = tuple[datetime, datetime]
"""A span of time: (first moment, end), without the end itself."""

Row = dict[str, Any]


@dataclass(kw_only=True)
class Sums:
    """Sums of calls. Amounts are billionths of a dollar; `waste` is part of `cost`."""

    calls: int = 0
    cost: int = 0
    waste: int = 0

    def add(self, calls: int, cost: int, waste: int) -> None:
        self.calls += calls
        self.cost += cost
        self.waste += waste


@dataclass(kw_only=True)
class CallSums(Sums):
    """Sums of one agent's calls in one experiment."""

    experiment: int
    agent: int


@dataclass(kw_only=True)
class DaySpent(Sums):
    """Sums of the calls of one day (UTC)."""

    day: date


@dataclass(kw_only=True)
class SpentOn(Sums):
    """Spending on one agent or experiment. key: the agent's slug or the experiment's id, None for deleted ones"""

    name: str
    key: object = None


def sums_by_agent(*, organization: Organization, span: Span) -> Iterator[CallSums]:
    """Sums within the span. An agent and experiment may occur several times. At most four queries."""
    runs = _runs_near(organization, span).order_by()
    within = Q(rival=None, started_at__gte=span[0] + CLOCK_MARGIN, progressed_at__lt=span[1] - CLOCK_MARGIN)
    whole = runs.filter(within)
    run_sums = whole.values_list("experiment_id", "agent_id").annotate(Sum("queries"), Sum("cost_nano"))
    for experiment, agent, calls, cost in run_sums:
        yield CallSums(experiment=experiment, agent=agent, calls=calls, cost=cost)
    # The cost is 0 here, since the sums of the runs above include it.
    unanswered = (
        _unanswered(organization, span).filter(run__in=whole).values_list("run__experiment_id", "run__agent_id")
    )
    for experiment, agent, calls, waste in unanswered.annotate(number=UNANSWERED, waste=SUMS["waste"]):
        yield CallSums(experiment=experiment, agent=agent, calls=calls, waste=waste)
    if split := dict(runs.exclude(within).values_list("id", "experiment_id")):
        for run, agent, calls, cost, waste in (
            _calls(organization, span, split).values_list("run", "agent").annotate(**SUMS)
        ):
            if run in split:
                yield CallSums(experiment=split[run], agent=agent, calls=calls, cost=cost, waste=waste)


def sums_by_day(*, organization: Organization, span: Span) -> list[DaySpent]:
    """Every day of a span that begins and ends at midnight, with calls of jobs included. At most four queries."""
    first = span[0].date()
    days = [DaySpent(day=first + timedelta(days=number)) for number in range((span[1] - span[0]).days)]
    split = set()
    for run, row in _runs(organization, span).items():
        midnight = row["progressed_at"].replace(hour=0, minute=0, second=0, microsecond=0)
        if not _is_within(row, (midnight, midnight + timedelta(days=1))):
            split.add(run)
        elif midnight < span[1]:
            days[(midnight.date() - first).days].add(row["calls"], row["cost"], row["waste"])
    # Both databases write times in UTC, beginning with the day. Cutting off the rest is the fastest way to get the day.
    day = Substr(Cast("created_at", CharField(max_length=40)), 1, 10)
    rows: list[Any] = list(_job_calls(organization, span).annotate(day=day).values("day").annotate(**SUMS))
    if split:
        by = ("day", "run") if len(split) > FEW_RUNS else ("day",)
        calls = _calls(organization, span, split).annotate(day=day).values(*by).annotate(**SUMS)
        rows += [row for row in calls if "run" not in row or row["run"] in split]
    for row in rows:
        days[(date.fromisoformat(row["day"]) - first).days].add(row["calls"], row["cost"], row["waste"])
    return days


def _runs_near(organization: Organization, span: Span) -> QuerySet[Run]:
    """Runs of models that may have made calls within the span."""
    return Run.objects.filter(
        MODEL | RIVAL_MODEL, organization=organization, progressed_at__gte=span[0], created_at__lt=span[1]
    )


def _unanswered(organization: Organization, span: Span) -> QuerySet[Exchange]:
    """Calls without a reply, or without a known cost, of runs that may have made calls within the span."""
    return Exchange.objects.filter(
        run__organization=organization,
        run__progressed_at__gte=span[0],
        run__created_at__lt=span[1],
        state__in=NOT_CONFIRMED,
    ).order_by()


def _runs(organization: Organization, span: Span) -> dict[int, Row]:
    """Runs of models that may have made calls within the span, with the sums of all their calls."""
    rows = _runs_near(organization, span).values(*COLUMNS, calls=F("queries"), cost=F("cost_nano"))
    runs: dict[int, Row] = {row["id"]: row for row in rows}
    sums = _unanswered(organization, span).values_list("run").annotate(number=UNANSWERED, lost=SUMS["waste"])
    unreplied = {run: own for run, *own in sums}
    for run, row in runs.items():
        number, row["waste"] = unreplied.get(run, (0, 0))
        row["calls"] += number
    return runs


def _is_within(row: Row, span: Span) -> bool:
    begin, end = span[0] + CLOCK_MARGIN, span[1] - CLOCK_MARGIN
    return bool(row["started_at"] and row["started_at"] >= begin and row["progressed_at"] < end)


def _job_calls(organization: Organization, span: Span) -> QuerySet[JobCall]:
    return JobCall.objects.filter(organization=organization, created_at__gte=span[0], created_at__lt=span[1]).order_by()


def _calls(organization: Organization, span: Span, runs: Collection[int]) -> QuerySet[Exchange]:
    of_organization = Q(run__organization=organization, run__progressed_at__gte=span[0])
    of_runs = Q(run__in=list(runs)) if len(runs) <= FEW_RUNS else of_organization
    return Exchange.objects.filter(MODEL, of_runs, created_at__gte=span[0], created_at__lt=span[1]).order_by()


SORTS: Sorts = {"name": lambda row: row.name.lower()} | {key: attrgetter(key) for key in ("calls", "waste", "cost")}


def breakdown(*, organization: Organization, whole: Spent) -> tuple[list[SpentOn], list[SpentOn]]:
    """The month's calls by agent, and by experiment. The most expensive come first; calls outside runs come last.

    whole: the organization's month. It still includes the calls of deleted experiments, which are
        deleted. Their cost is the difference between `whole` and the sum of the other calls.
    """
    span = _midnight(whole.month), _midnight(months_before(whole.month, -1))
    sums = list(sums_by_agent(organization=organization, span=span))
    models = Agent.objects.filter(Agent.playable(), organization=organization, baseline="")
    names = Experiment.objects.filter(pk__in={item.experiment for item in sums}).values_list("id", "name")
    agents = _grouped(sums, "agent", {agent.pk: (agent.name, agent.slug) for agent in models.only("name", "slug")})
    experiments = _grouped(sums, "experiment", {pk: (name, pk) for pk, name in names})
    notes = SpentOn(
        name="Notes analyses, questions and provider checks", **_job_calls(organization, span).aggregate(**SUMS)
    )
    deleted_cost = max(0, whole.cost_nano - notes.cost - sum(item.cost for item in experiments))
    deleted = (SpentOn(name=name, cost=deleted_cost) for name in ("In deleted experiments", "Deleted experiments"))
    by_agent, by_experiment = ([row for row in (notes, rest) if row.calls or row.cost] for rest in deleted)
    return agents + by_agent, experiments + by_experiment


def days_spent(*, organization: Organization, month: date) -> list[DaySpent]:
    """Every day (UTC) of a month up to today, without deleted experiments."""
    begin, today = _midnight(month), _midnight(timezone.now().astimezone(UTC).date())
    end = min(_midnight(months_before(month, -1)), max(begin, today) + timedelta(days=1))
    return sums_by_day(organization=organization, span=(begin, end))


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _grouped(sums: list[CallSums], column: str, labels: Mapping[int, tuple[str, object]]) -> list[SpentOn]:
    totals: dict[int, Sums] = defaultdict(Sums)
    for item in sums:
        totals[getattr(item, column)].add(item.calls, item.cost, item.waste)
    spent = ((*labels.get(pk, ("", None)), vars(total)) for pk, total in totals.items())
    rows = [SpentOn(name=name, key=key, **total) for name, key, total in spent if any(total.values())]
    return sorted(rows, key=lambda item: (-item.cost, item.name.lower()))
