"""Queries for tokens. Lists leave out revoked tokens and keep expired ones, so that people see why a program stopped."""

from django.db.models import Q, QuerySet

from accounts.models import Organization
from api.models import ApiToken


def tokens(owner: Q) -> QuerySet[ApiToken]:
    """Of Q(user=…) in all organizations, or of Q(organization=…): its service tokens and its members' personal tokens."""
    rows = ApiToken.objects.filter(owner, revoked_at=None)
    return rows.select_related("organization", "user", "created_by").order_by("-id")


def tokens_by_maker(organization: Organization) -> dict[int, list[str]]:
    """The names of the organization's valid service tokens, by the person who created them. A hook of accounts."""
    names: dict[int, list[str]] = {}
    for token in ApiToken.objects.filter(ApiToken.alive_now(), organization=organization, user=None).order_by("id"):
        if token.created_by_id is not None:
            names.setdefault(token.created_by_id, []).append(str(token))
    return names
