"""Reads for tables and figures, always of one organization, with a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import or_

from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet

from accounts.models import Organization
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.page import Column
from analysis.figures.colours import AgentStyle, agent_styles
from analysis.records import RunRecord
from discussion.selectors.tags import runs_tagged
from environments.base import Outcome
from runs.models import Agent, Period, Run


def benchmark_runs(*, organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    """Runs of all states that a table of this filter is about."""
    runs = Run.objects.filter(
        organization=organization,
        instance__environment__in=table_filter.environments,
        instance__difficulty__in=table_filter.difficulties,
        instance__generator=table_filter.generator,
        variant=table_filter.variant,
        periods=table_filter.periods,
    )
    runs = runs.filter(launched_in(table_filter.start, table_filter.end))
    if table_filter.agents:
        runs = runs.filter(agent__slug__in=table_filter.agents)
    if table_filter.tag is not None:
        runs = runs.filter(runs_tagged(organization=organization, tag_id=table_filter.tag))
    return of_kinds(runs, table_filter.rows)


def launched_in(start: date | None, end: date | None) -> Q:
    """Runs launched on days from one to another, both included, in UTC; None is open."""
    days = Q()
    if start:
        days &= Q(created_at__gte=datetime.combine(start, time.min, UTC))
    if end:
        days &= Q(created_at__lt=datetime.combine(end + timedelta(days=1), time.min, UTC))
    return days


def of_kinds(runs: QuerySet[Run], rows: Iterable[str]) -> QuerySet[Run]:
    """The runs of the kinds of rows that are shown; published rows have none."""
    kinds = {
        "own": Q(imported=False, agent__baseline=""),
        "baseline": Q(imported=False) & ~Q(agent__baseline=""),
        "imported": Q(imported=True),
    }
    wanted = [kinds[row] for row in dict.fromkeys(rows) if row in kinds]
    return runs.filter(reduce(or_, wanted)) if wanted else runs.none()


def run_records(runs: QuerySet[Run]) -> list[RunRecord]:
    rows = runs.order_by("agent_id", "instance__seed", "id").values(
        "agent_id",
        "instance_id",
        "state",
        "score",
        "solved",
        run_id=F("id"),
        agent_slug=F("agent__slug"),
        agent_name=F("agent__name"),
        baseline=F("agent__baseline"),
        is_imported=F("imported"),
        environment=F("instance__environment"),
        difficulty=F("instance__difficulty"),
        seed=F("instance__seed"),
    )
    return [RunRecord(is_baseline=bool(row.pop("baseline")), **row) for row in rows]


def played_lengths(*, organization: Organization) -> list[int]:
    """The numbers of periods that runs of this organization have, shortest first."""
    lengths = Run.objects.filter(organization=organization).order_by("periods").values_list("periods", flat=True)
    return list(lengths.distinct())


def played_agents(*, organization: Organization) -> list[tuple[str, str]]:
    """(slug, name) of every own agent and baseline that has a run, by name."""
    agents = Agent.objects.filter(
        Exists(Run.objects.filter(agent=OuterRef("pk"))), organization=organization, imported=False
    )
    return list(agents.order_by("name").values_list("slug", "name"))


def styles_of_agents(*, organization: Organization) -> dict[int, AgentStyle]:
    """One colour an agent, by the order of their first runs."""
    agents = Agent.objects.filter(organization=organization, runs__isnull=False).annotate(first=Min("runs__id"))
    rows = agents.order_by("first").values_list("id", "baseline")
    return agent_styles((agent, bool(baseline)) for agent, baseline in rows)


def run_with_instance(*, organization: Organization, run_id: int) -> Run:
    """Raises Run.DoesNotExist for a run of another organization as for one that does not exist."""
    return Run.objects.select_related("instance").get(organization=organization, pk=run_id)


def outcomes_of_run(run: Run) -> list[Outcome]:
    rows = Period.objects.filter(run=run).order_by("index").values_list("index", "action", "result", "quality", "ended")
    return [Outcome(*row) for row in rows]


CELL_SORTS = {"seed": "instance__seed", "score": "score", "state": "state", "launched": "created_at"}


def cell_runs(
    *, organization: Organization, table_filter: TableFilter, column: Column, agent: Agent, sort: str = "seed"
) -> QuerySet[Run]:
    """The runs of one agent behind one cell of the filter's table.

    `sort` is a key of CELL_SORTS, with a minus for descending.
    """
    of_column = replace(table_filter, environments=(column.environment,), difficulties=(column.difficulty,))
    place = F(CELL_SORTS.get(sort.removeprefix("-"), CELL_SORTS["seed"]))
    order = place.desc(nulls_last=True) if sort.startswith("-") else place.asc(nulls_last=True)
    runs = benchmark_runs(organization=organization, table_filter=of_column).filter(agent=agent)
    bulky = ("instance__parameters", "instance__hidden", "instance__reference", "config", "metrics")
    return runs.select_related("instance", "experiment").defer(*bulky).order_by(order, "instance__seed", "id")
