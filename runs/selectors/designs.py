"""Reads of designs, always of one organization."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.generation import DESIGN, is_design
from environments.registry import GENERATION
from runs.models import Design, Run


def designs(*, organization: Organization) -> QuerySet[Design]:
    """All designs by name, without those of environments that no longer exist."""
    return Design.objects.filter(organization=organization, environment__in=GENERATION).order_by("name", "id")


def offered_designs(*, organization: Organization) -> QuerySet[Design]:
    """The designs that launches offer."""
    return designs(organization=organization).filter(archived_at=None)


def played_designs(*, organization: Organization) -> list[tuple[str, str]]:
    """(difficulty, environment) of every design with a run, for filters. One query."""
    rows = Run.objects.filter(organization=organization, instance__difficulty__startswith=DESIGN).order_by()
    places = rows.values_list("instance__difficulty", "instance__environment").distinct()
    return sorted(place for place in places if is_design(place[0]))


def design_or_404(*, organization: Organization, design_id: int) -> Design:
    rows = designs(organization=organization).select_related("created_by", "organization")
    return get_object_or_404(rows, pk=design_id)


def runs_of(design: Design) -> QuerySet[Run]:
    """The runs that use a design, in all states."""
    return Run.objects.filter(
        organization=design.organization_id,
        instance__environment=design.environment,
        instance__difficulty=design.difficulty,
    )


def is_used(design: Design) -> bool:
    return runs_of(design).exists()
