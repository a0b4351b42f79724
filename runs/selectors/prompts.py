"""Queries for own prompts, always of one organization."""

from collections.abc import Iterable

from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.prompts.variants import is_own, texts_slug
from runs.models import PromptVariant


def prompt_or_404(*, organization: Organization, prompt_id: int) -> PromptVariant:
    rows = PromptVariant.objects.select_related("organization", "created_by")
    return get_object_or_404(rows, organization=organization, pk=prompt_id)


def prompts_offered(*, organization: Organization, kept_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """The environments of every own prompt by its name, without archived ones that are not among the `kept_names`."""
    offered: dict[str, list[str]] = {}
    rows = (
        PromptVariant.objects.filter(organization=organization).defer("texts").order_by("base", "slug", "environment")
    )
    for row in rows:
        if row.archived_at is None or row.variant in kept_names:
            offered.setdefault(row.variant, []).append(row.environment)
    return offered


def prompts_named(*, organization: Organization, variants: Iterable[str]) -> dict[tuple[str, str], PromptVariant]:
    """Own prompts of these names by environment and variant, archived ones too. No query for built-in names alone."""
    names = {variant for variant in variants if is_own(variant)}
    if not names:
        return {}
    rows = PromptVariant.objects.filter(organization=organization, slug__in=set(map(texts_slug, names)))
    return {(row.environment, row.variant): row for row in rows if row.variant in names}
