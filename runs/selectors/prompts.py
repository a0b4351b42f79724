"""Queries for own prompts, always of one organization."""

from collections.abc import Iterable

from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.prompts import OWN
from runs.models import PromptVariant


def prompt_or_404(*, organization: Organization, prompt_id: int) -> PromptVariant:
    rows = PromptVariant.objects.select_related("organization", "created_by")
    return get_object_or_404(rows, organization=organization, pk=prompt_id)


def prompts_named(*, organization: Organization, variants: Iterable[str]) -> dict[tuple[str, str], PromptVariant]:
    """Own prompts of these names by environment and variant, archived ones too. No query for built-in names alone."""
    names = {variant for variant in variants if OWN in variant}
    if not names:
        return {}
    rows = PromptVariant.objects.filter(organization=organization, slug__in={name.partition(OWN)[2] for name in names})
    return {(row.environment, row.variant): row for row in rows if row.variant in names}
