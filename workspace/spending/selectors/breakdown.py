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


@dataclass(frozen=True)
class CallSums:
    """Sums of one agent's calls in one experiment. Amounts are billionths of a dollar; `waste` is part of `cost`."""

    experiment: int
    agent: int
    calls: int
    cost: int
    waste: int


@dataclass
class DaySpent:
    """Sums of the calls of one day (UTC), with the amounts of CallSums."""

    day: date
    calls: int = 0
    cost: int = 0
    waste: int = 0

    def add(self, row: Row) -> None:
        self.calls += row["calls"]
        self.cost += row["cost"]
        self.waste += row["waste"]


def sums_by_agent(*, organization: Organization, span: Span) -> Iterator[CallSums]:
    """Sums within the span. An agent and experiment may occur several times. At most four queries."""
    runs = _runs_near(organization, span).order_by()
    within = Q(rival=None, started_at__gte=span[0] + CLOCK_MARGIN, progressed_at__lt=span[1] - CLOCK_MARGIN)
    whole = runs.filter(within)
    run_sums = whole.values_list("experiment_id", "agent_id").annotate(Sum("queries"), Sum("cost_nano"))
    for experiment, agent, calls, cost in run_sums:
        yield CallSums(experiment, agent, calls, cost, 0)
    # The cost is 0 here, since the sums of the runs above include it.
    unanswered = (
        _unanswered(organization, span).filter(run__in=whole).values_list("run__experiment_id", "run__agent_id")
    )
    for experiment, agent, calls, waste in unanswered.annotate(number=UNANSWERED, waste=SUMS["waste"]):
        yield CallSums(experiment, agent, calls, 0, waste)
    if split := dict(runs.exclude(within).values_list("id", "experiment_id")):
        by_run = _calls(organization, span, split).values_list("run", "agent").annotate(**SUMS)
        for run, agent, *sums in by_run:
            if run in split:
                yield CallSums(split[run], agent, *sums)


def job_sums(*, organization: Organization, span: Span) -> Row:
    """Number, cost and waste of the calls of notes analyses and provider checks within the span. One query."""
    return _job_calls(organization, span).aggregate(**SUMS)


def sums_by_day(*, organization: Organization, span: Span) -> list[DaySpent]:
    """Every day of a span that begins and ends at midnight, with calls of jobs included. At most four queries."""
    first = span[0].date()
    days = [DaySpent(first + timedelta(days=number)) for number in range((span[1] - span[0]).days)]
    split = set()
    for run, row in _runs(organization, span).items():
        midnight = row["progressed_at"].replace(hour=0, minute=0, second=0, microsecond=0)
        if not _is_within(row, (midnight, midnight + timedelta(days=1))):
            split.add(run)
        elif midnight < span[1]:
            days[(midnight.date() - first).days].add(row)
    # Both databases write times in UTC, beginning with the day. Cutting off the rest is the fastest way to get the day.
    day = Substr(Cast("created_at", CharField(max_length=40)), 1, 10)
    rows: list[Any] = list(_job_calls(organization, span).annotate(day=day).values("day").annotate(**SUMS))
    if split:
        by = ("day", "run") if len(split) > FEW_RUNS else ("day",)
        calls = _calls(organization, span, split).annotate(day=day).values(*by).annotate(**SUMS)
        rows += [row for row in calls if "run" not in row or row["run"] in split]
    for row in rows:
        days[(date.fromisoformat(row["day"]) - first).days].add(row)
    return days


def _runs_near(organization: Organization, span: Span) -> QuerySet[Run]:
    """Runs of models that may have made calls within the span."""
    near = Run.objects.filter(organization=organization, progressed_at__gte=span[0], created_at__lt=span[1])
    return near.filter(MODEL | RIVAL_MODEL)


def _unanswered(organization: Organization, span: Span) -> QuerySet[Exchange]:
    """Calls without a reply, or without a known cost, of runs that may have made calls within the span."""
    near = Exchange.objects.filter(run__organization=organization, run__progressed_at__gte=span[0])
    return near.filter(run__created_at__lt=span[1], state__in=NOT_CONFIRMED).order_by()


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
    started, progressed = row["started_at"], row["progressed_at"]
    return bool(started and started >= span[0] + CLOCK_MARGIN and progressed < span[1] - CLOCK_MARGIN)


def _job_calls(organization: Organization, span: Span) -> QuerySet[JobCall]:
    calls = JobCall.objects.filter(organization=organization, created_at__gte=span[0], created_at__lt=span[1])
    return calls.order_by()


def _calls(organization: Organization, span: Span, runs: Collection[int]) -> QuerySet[Exchange]:
    calls = Exchange.objects.filter(MODEL, created_at__gte=span[0], created_at__lt=span[1]).order_by()
    if len(runs) <= FEW_RUNS:
        return calls.filter(run__in=list(runs))
    return calls.filter(run__organization=organization, run__progressed_at__gte=span[0])


SORTS: Sorts = {"name": lambda row: row.name.lower()} | {key: attrgetter(key) for key in ("calls", "waste", "cost")}


@dataclass(frozen=True)
class SpentOn:
    """Spending on one agent or experiment. key: the agent's slug or the experiment's id, None for deleted ones"""

    name: str
    key: object
    calls: int
    cost: int
    waste: int


def breakdown(*, organization: Organization, whole: Spent) -> tuple[list[SpentOn], list[SpentOn]]:
    """The month's calls by agent, and by experiment. The most expensive come first; calls outside runs come last.

    whole: the organization's month. It still includes the calls of deleted experiments, which are
        deleted. Their cost is the difference between `whole` and the sum of the other calls.
    """
    begin, end = _midnight(whole.month), _midnight(months_before(whole.month, -1))
    sums = list(sums_by_agent(organization=organization, span=(begin, end)))
    models = Agent.objects.filter(Agent.playable(), organization=organization, baseline="")
    names = Experiment.objects.filter(pk__in={item.experiment for item in sums}).values_list("id", "name")
    agents = _grouped(sums, "agent", {agent.pk: (agent.name, agent.slug) for agent in models.only("name", "slug")})
    experiments = _grouped(sums, "experiment", {pk: (name, pk) for pk, name in names})
    notes = SpentOn(
        "Notes analyses and provider checks", None, **job_sums(organization=organization, span=(begin, end))
    )
    if notes.calls:
        agents.append(notes)
        experiments.append(notes)
    deleted_cost = whole.cost_nano - sum(item.cost for item in experiments)
    if deleted_cost > 0:
        agents.append(SpentOn("In deleted experiments", None, 0, deleted_cost, 0))
        experiments.append(SpentOn("Deleted experiments", None, 0, deleted_cost, 0))
    return agents, experiments


def days_spent(*, organization: Organization, month: date) -> list[DaySpent]:
    """Every day (UTC) of a month up to today, without deleted experiments."""
    begin, today = _midnight(month), _midnight(timezone.now().astimezone(UTC).date())
    end = min(_midnight(months_before(month, -1)), max(begin, today) + timedelta(days=1))
    return sums_by_day(organization=organization, span=(begin, end))


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _grouped(sums: list[CallSums], column: str, labels: Mapping[int, tuple[str, object]]) -> list[SpentOn]:
    totals: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for item in sums:
        total = totals[getattr(item, column)]
        total[:] = total[0] + item.calls, total[1] + item.cost, total[2] + item.waste
    rows = [SpentOn(*labels.get(pk, ("", None)), *total) for pk, total in totals.items() if any(total)]
    return sorted(rows, key=lambda item: (-item.cost, item.name.lower()))
