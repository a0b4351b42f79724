"""What a month's money went to: agents and experiments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.core.paginator import Page, Paginator
from django.utils import timezone

from accounts.models import Organization
from runs.models import Agent, Experiment
from spending.selectors.spending import Spent, months_before
from spending.selectors.spent_cells import Cell, DaySpent, Span, spent_cells, spent_days

PAGE_SIZE = 25
SORTS = ("name", "calls", "waste", "cost")
ONE_DAY = timedelta(days=1)


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


def breakdown(*, organization: Organization, whole: Spent) -> Breakdown:
    """The month's calls by agent and by experiment, dearest first; `whole` is what the organization spent in it.

    Calls of deleted experiments are gone, their cost is not: it is the difference.
    """
    cells = list(spent_cells(organization=organization, span=span_of(whole.month)))
    models = Agent.objects.filter(organization=organization, baseline="", imported=False)
    models = models.values_list("id", "name", "slug")
    named = Experiment.objects.filter(pk__in={cell.experiment for cell in cells}).values_list("id", "name")
    agents = _grouped(cells, "agent", {pk: (name, slug) for pk, name, slug in models})
    experiments = _grouped(cells, "experiment", {pk: (name, pk) for pk, name in named})
    gone = whole.cost_nano - sum(item.cost for item in experiments)
    if gone > 0:
        agents.append(SpentOn("In deleted experiments", None, 0, gone, 0))
        experiments.append(SpentOn("Deleted experiments", None, 0, gone, 0))
    return Breakdown(agents, experiments)


def span_of(month: date) -> Span:
    after = months_before(month, -1)
    return _midnight(month), _midnight(after)


def days_spent(*, organization: Organization, month: date) -> list[DaySpent]:
    """Every day (UTC) of a month up to today, without what was spent in experiments that are deleted now."""
    begin, end = span_of(month)
    end = min(end, max(begin + ONE_DAY, _midnight(timezone.now().astimezone(UTC).date()) + ONE_DAY))
    return spent_days(organization=organization, span=(begin, end))


def page_of(rows: list[SpentOn], *, sort: str, page: object, text: str = "") -> Page:
    """Those whose name holds a text, sorted by one of SORTS with '-' for descending."""
    rows = [row for row in rows if text.lower() in row.name.lower()]
    key = sort.removeprefix("-")
    if key in SORTS:
        rows.sort(
            key=lambda row: getattr(row, key).lower() if key == "name" else getattr(row, key),
            reverse=sort.startswith("-"),
        )
    return Paginator(rows, PAGE_SIZE).get_page(page)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _grouped(cells: list[Cell], column: str, named: Mapping[int, tuple[str, object]]) -> list[SpentOn]:
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for cell in cells:
        for place, value in enumerate((cell.calls, cell.cost, cell.waste)):
            sums[getattr(cell, column)][place] += value
    found = [SpentOn(*named.get(pk, ("", None)), *values) for pk, values in sums.items() if any(values)]
    return sorted(found, key=lambda item: (-item.cost, item.name.lower()))
