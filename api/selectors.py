"""Queries for tokens. Lists leave out revoked tokens and keep expired ones, so that people see why a program stopped."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization, User
from api.models import ApiToken


def _listed() -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(revoked_at=None).select_related("organization", "user", "created_by").order_by("-id")


def personal_tokens(*, user: User) -> QuerySet[ApiToken]:
    """The person's tokens in all organizations."""
    return _listed().filter(user=user)


def organization_tokens(*, organization: Organization) -> QuerySet[ApiToken]:
    """The organization's service tokens and its members' personal tokens."""
    return _listed().filter(organization=organization)


def tokens_by_maker(organization: Organization) -> dict[int, list[str]]:
    """The names of the organization's valid service tokens, by the person who created them. A hook of accounts."""
    found: dict[int, list[str]] = {}
    for token in ApiToken.objects.filter(ApiToken.alive_now(), organization=organization, user=None).order_by("id"):
        if token.created_by_id is not None:
            found.setdefault(token.created_by_id, []).append(str(token))
    return found


def personal_token_or_404(*, user: User, token_id: int) -> ApiToken:
    return get_object_or_404(_listed(), user=user, pk=token_id)


def organization_token_or_404(*, organization: Organization, token_id: int) -> ApiToken:
    return get_object_or_404(_listed(), organization=organization, pk=token_id)
