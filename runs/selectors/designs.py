"""Reads of designs, always of one organization."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.generation import DESIGN
from environments.registry import GENERATION
from runs.models import Design, Instance, Run


def designs(*, organization: Organization) -> QuerySet[Design]:
    """All designs by name, without those of environments that no longer exist."""
    return Design.objects.filter(organization=organization, environment__in=GENERATION).order_by("name", "id")


def offered_designs(*, organization: Organization) -> QuerySet[Design]:
    """The designs that launches offer."""
    return designs(organization=organization).filter(archived_at=None)


def played_designs(*, organization: Organization, environments: Collection[str]) -> list[str]:
    """The difficulties of all designs of these environments that have a run, for filters. One query."""
    has_run = Exists(Run.objects.filter(instance=OuterRef("pk")))
    rows = Instance.objects.filter(has_run, organization=organization, difficulty__startswith=DESIGN)
    return sorted(set(rows.filter(environment__in=environments).values_list("difficulty", flat=True)))


def design_or_404(*, organization: Organization, design_id: int) -> Design:
    rows = designs(organization=organization).select_related("created_by", "organization")
    return get_object_or_404(rows, pk=design_id)


def runs_of(design: Design) -> QuerySet[Run]:
    """The runs that use a design, in all states."""
    return _using(Run.objects.all(), design)


def is_used(design: Design) -> bool:
    """Whether a run uses a design, also one that was deleted within a day."""
    return _using(Run.with_deleted.all(), design).exists()


def _using(runs: QuerySet[Run], design: Design) -> QuerySet[Run]:
    return runs.filter(
        organization=design.organization_id,
        instance__environment=design.environment,
        instance__difficulty=design.difficulty,
    )
