"""The spending of a month by agent, by experiment and by day."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import attrgetter

from django.utils import timezone

from accounts.models import Organization
from runs.models import Agent, Experiment
from workspace.spending.selectors.call_sums import CallSums, DaySpent, job_sums, sums_by_agent, sums_by_day
from workspace.spending.selectors.months import Sorts, Spent, months_before

SORTS: Sorts = {"name": lambda row: row.name.lower()} | {key: attrgetter(key) for key in ("calls", "waste", "cost")}


@dataclass(frozen=True)
class SpentOn:
    """Spending on one agent or experiment. `key` is the agent's slug or the experiment's id, None for deleted ones."""

    name: str
    key: object
    calls: int
    cost: int
    waste: int


def breakdown(*, organization: Organization, whole: Spent) -> tuple[list[SpentOn], list[SpentOn]]:
    """The month's calls by agent, and by experiment, the most expensive first, then those that belong to no run.

    `whole` is the organization's month. Calls of deleted experiments are deleted, but their cost stays in `whole`: it is
    the difference.
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
    """Every day (UTC) of a month up to today. Deleted experiments are not counted."""
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
