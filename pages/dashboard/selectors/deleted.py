"""Things that were deleted within the last day and can be restored."""

from collections.abc import Collection
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.deletions import KEPT_FOR, Deletable, DeletableKind, kinds
from accounts.models import Membership

MOST_SHOWN = 200


def deleted_rows(*, member: Membership) -> list[dict[str, Any]]:
    """Everything that the member may restore, the last deleted first. One query for each kind.

    seconds_left: time until a row is removed for good
    """
    now = timezone.now()
    rows: list[dict[str, Any]] = [
        {"kind": name, "word": kind.word, "row": row, "seconds_left": max(0.0, (row.kept_until - now).total_seconds())}
        for name, kind in kinds.items()
        if kind.is_personal or member.may_edit
        for row in _deletables_of(kind, member)
        .filter(deleted_at__gt=now - KEPT_FOR)
        .order_by("-deleted_at")[:MOST_SHOWN]
        if row.kept_until
    ]
    return sorted(rows, key=lambda deleted: deleted["row"].deleted_at, reverse=True)[:MOST_SHOWN]


def deletables_or_404(*, member: Membership, kind: DeletableKind, keys: Collection[int]) -> list[Deletable]:
    """The rows with these keys, sorted by key. One query.

    Raises Http404 if the member may not restore one of them, or if one was deleted over a day ago.
    """
    rows = list(_deletables_of(kind, member).filter(pk__in=keys).order_by("pk"))
    if len(rows) < len(set(keys)) or any(row.kept_until and row.kept_until <= timezone.now() for row in rows):
        raise Http404("It was not deleted here, or longer ago than a day.")
    return rows


def _deletables_of(kind: DeletableKind, member: Membership) -> QuerySet[Deletable]:
    rows = Q(organization=member.organization_id)
    if kind.is_personal:
        rows &= Q(user=member.user_id) | Q(deleted_by=member.user_id)
    return kind.model.with_deleted.filter(rows).select_related("deleted_by")
