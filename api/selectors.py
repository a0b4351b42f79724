"""Queries for tokens. Lists leave out revoked tokens but keep expired ones, so that people see why a program stopped."""

from django.db.models import Q, QuerySet

from accounts.models import Organization
from api.models import ApiToken


def tokens(owner: Q) -> QuerySet[ApiToken]:
    """The tokens of an owner.

    owner: Q(user=…) for a person's tokens in all organizations, or Q(organization=…) for its service tokens and its
        members' personal tokens
    """
    rows = ApiToken.objects.filter(owner, revoked_at=None)
    return rows.select_related("organization", "user", "created_by").order_by("-id")


def tokens_by_maker(organization: Organization) -> dict[int, list[str]]:
    """Names of the organization's valid service tokens, by the id of their creator. A hook of accounts."""
    names: dict[int, list[str]] = {}
    for token in ApiToken.objects.filter(ApiToken.alive_now(), organization=organization, user=None).order_by("id"):
        if token.created_by_id is not None:
            names.setdefault(token.created_by_id, []).append(str(token))
    return names
