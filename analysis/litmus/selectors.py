"""Runs and instances of the litmus page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.db.models import Q, QuerySet

from accounts.models import Organization
from analysis.base.selectors import fitting_runs
from analysis.base.table import Kind
from analysis.litmus.filters import STANDARD, WHOLE, LitmusFilter, whole_lengths
from environments.registry import LITMUS_TESTS
from runs.models import Instance, Run

SCORING = ("reliability", "litmus_bound")
"""Metrics that the three scores need beside the score of each run."""


def litmus_runs(*, organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    """Runs of the litmus tests that fit the filter, in all states and variants."""
    chosen = litmus_filter
    if chosen.experiment:
        # A page about one experiment shows all its runs, imported ones too.
        chosen = replace(chosen, rows=(*chosen.rows, Kind.IMPORTED))
    runs = fitting_runs(organization=organization, chosen=chosen).filter(instance__environment__in=LITMUS_TESTS)
    if chosen.experiment:
        return runs.filter(experiment=chosen.experiment)
    runs = runs.filter(instance__generator=chosen.generator)
    return runs.filter(_whole(), instance__difficulty=STANDARD) if chosen.scope == WHOLE else runs


def _whole() -> Q:
    """Runs as long as the paper's."""
    whole = Q()
    for test, variant, periods in whole_lengths():
        whole |= Q(instance__environment=test, variant=variant, periods__gte=periods)
    return whole


def instances_by_id(*, organization: Organization, ids: Iterable[int]) -> dict[int, Instance]:
    """Instances that have a reference solution."""
    rows = Instance.objects.filter(organization=organization, pk__in=set(ids), reference__isnull=False)
    return {row.pk: row for row in rows}
