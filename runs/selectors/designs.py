"""Queries for designs and own prompts, always of one organization."""

from collections.abc import Collection, Iterable

from django.db.models import Exists, OuterRef, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.generation import DESIGN
from environments.prompts.variants import is_own, texts_slug
from environments.registry import GENERATION
from runs.models import Design, Instance, PromptVariant, Run


def designs(*, organization: Organization) -> QuerySet[Design]:
    """All designs by name, without those of environments that no longer exist."""
    return Design.objects.filter(organization=organization, environment__in=GENERATION).order_by("name", "id")


def offered_designs(*, organization: Organization) -> QuerySet[Design]:
    """The designs that launches offer."""
    return designs(organization=organization).filter(archived_at=None)


def played_designs(*, organization: Organization, environments: Collection[str]) -> list[str]:
    """The difficulties, for filters, of all designs of these environments that a run uses. One query."""
    instances = Instance.objects.filter(
        Exists(Run.objects.filter(instance=OuterRef("pk"))),
        organization=organization,
        difficulty__startswith=DESIGN,
        environment__in=environments,
    )
    return sorted(set(instances.values_list("difficulty", flat=True)))


def design_or_404(*, organization: Organization, design_id: int) -> Design:
    return get_object_or_404(
        designs(organization=organization).select_related("created_by", "organization"), pk=design_id
    )


def runs_of(design: Design) -> QuerySet[Run]:
    """The runs that use a design, in all states."""
    return _using(Run.objects.all(), design)


def is_used(design: Design) -> bool:
    """Whether a run uses a design. Runs that were deleted within a day count too."""
    return _using(Run.with_deleted.all(), design).exists()


def _using(runs: QuerySet[Run], design: Design) -> QuerySet[Run]:
    return runs.filter(
        organization=design.organization_id,
        instance__environment=design.environment,
        instance__difficulty=design.difficulty,
    )


def prompt_or_404(*, organization: Organization, prompt_id: int) -> PromptVariant:
    return get_object_or_404(
        PromptVariant.objects.select_related("organization", "created_by"), organization=organization, pk=prompt_id
    )


def prompts_offered(*, organization: Organization, kept_names: Iterable[str] = ()) -> dict[str, list[PromptVariant]]:
    """Own prompts without their texts, one for each environment, by variant.

    Includes archived prompts only if their variants are in `kept_names`.
    """
    offered: dict[str, list[PromptVariant]] = {}
    rows = (
        PromptVariant.objects.filter(organization=organization).defer("texts").order_by("base", "slug", "environment")
    )
    for row in rows:
        if row.archived_at is None or row.variant in kept_names:
            offered.setdefault(row.variant, []).append(row)
    return offered


def prompts_named(*, organization: Organization, variants: Iterable[str]) -> dict[tuple[str, str], PromptVariant]:
    """Own prompts of these names, by environment and variant, including archived ones.

    Makes no query if all names are built in.
    """
    # Django makes no query for an empty set of slugs.
    names = {variant for variant in variants if is_own(variant)}
    rows = PromptVariant.objects.filter(organization=organization, slug__in=set(map(texts_slug, names)))
    return {(row.environment, row.variant): row for row in rows if row.variant in names}
