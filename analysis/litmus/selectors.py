"""Reads for the litmus page, always of one organization, with a constant number of queries.

Metrics hold whole price paths, so that only the few wanted ones leave the database.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Q, QuerySet

from accounts.models import Organization
from analysis.benchmark.selectors import launched_in, of_kinds
from analysis.litmus.filters import STANDARD, WHOLE, LitmusFilter, whole_lengths
from analysis.litmus.scores import LitmusRun
from discussion.selectors.tags import runs_tagged
from environments.registry import LITMUS_TESTS
from runs.models import Instance, Run

SCORING = ("reliability", "litmus_bound")
"""Metrics that the three scores need beside the score of each run."""


def litmus_runs(*, organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    """Runs of the litmus tests in all states and variants that a page of this filter is about."""
    runs = Run.objects.filter(organization=organization, instance__environment__in=LITMUS_TESTS)
    if litmus_filter.experiment:
        runs = runs.filter(experiment=litmus_filter.experiment)
    else:
        runs = runs.filter(instance__generator=litmus_filter.generator)
        if litmus_filter.scope == WHOLE:
            runs = runs.filter(_whole(), instance__difficulty=STANDARD)
    runs = runs.filter(launched_in(litmus_filter.start, litmus_filter.end))
    if litmus_filter.agents:
        runs = runs.filter(agent__slug__in=litmus_filter.agents)
    if litmus_filter.tag is not None:
        runs = runs.filter(runs_tagged(organization=organization, tag_id=litmus_filter.tag))
    # Whoever looks at one experiment wants to see its runs, wherever they were played.
    rows = [*litmus_filter.rows, "imported"] if litmus_filter.experiment else litmus_filter.rows
    return of_kinds(runs, rows)


def _whole() -> Q:
    """Runs as long as the paper's."""
    whole = Q()
    for test, variant, periods in whole_lengths():
        whole |= Q(instance__environment=test, variant=variant, periods__gte=periods)
    return whole


def litmus_records(runs: QuerySet[Run], metrics: Iterable[str] = SCORING) -> list[LitmusRun]:
    """Plain records with the metrics wanted."""
    wanted = tuple(metrics)
    rows = runs.order_by("agent__name", "agent_id", "instance__seed", "id").values(
        "agent_id",
        "rival_id",
        "variant",
        "instance_id",
        "state",
        "score",
        run_id=F("id"),
        agent_slug=F("agent__slug"),
        agent_name=F("agent__name"),
        baseline=F("agent__baseline"),
        is_imported=F("imported"),
        rival_name=F("rival__name"),
        environment=F("instance__environment"),
        seed=F("instance__seed"),
        **{f"metric_{name}": F(f"metrics__{name}") for name in wanted},
    )
    return [_record(row, wanted) for row in rows]


def _record(row: dict[str, Any], metrics: tuple[str, ...]) -> LitmusRun:
    found = {name: row.pop(f"metric_{name}") for name in metrics}
    alone = row["rival_id"] is None or row["rival_id"] == row["agent_id"]
    row |= {"rival_id": None, "rival_name": ""} if alone else {}
    return LitmusRun(is_baseline=bool(row.pop("baseline")), metrics=found, **row)


def instances_by_id(*, organization: Organization, ids: Iterable[int]) -> dict[int, Instance]:
    """Instances whose reference is known."""
    rows = Instance.objects.filter(organization=organization, pk__in=set(ids), reference__isnull=False)
    return {row.pk: row for row in rows}
