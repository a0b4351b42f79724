"""Cursor pagination: a page starts after the last row of the page before, so new rows do not shift it.

A cursor is the position of that row, signed together with the organization, the path and the filters of the list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer
from django.db.models import QuerySet

from accounts.pages.requests import MemberRequest
from api.protocol.errors import invalid

USUAL, MOST = 50, 200
NO_CURSOR = "This is not a cursor of this list with these filters. Begin without one."


@dataclass(frozen=True)
class Window:
    """The requested part of a list: rows after `position`, None for the first page."""

    signer: Signer
    position: int | None
    limit: int

    def cursor_behind(self, position: int) -> str:
        return self.signer.sign(str(position))


def window(request: MemberRequest, limit: int, cursor: str | None) -> Window:
    """Raises ApiError 422 for a cursor that is forged or belongs to another list."""
    filters = sorted((key, value) for key, values in request.GET.lists() for value in values if key not in OWN)
    signer = Signer(salt=f"api.cursor {request.organization.pk} {request.path} {urlencode(filters)}", sep=".")
    position = None
    if cursor is not None:
        try:
            position = int(signer.unsign(cursor))
        except (BadSignature, ValueError):
            raise invalid({"cursor": NO_CURSOR}) from None
    return Window(signer, position, limit)


OWN = ("limit", "cursor")


def page_of(
    rows: QuerySet[Any],
    wanted: Window,
    shape: Callable[[list[Any]], list[Any]],
    by: str = "pk",
    newest: bool = False,
) -> dict[str, Any]:
    """{"items", "next_cursor"} in the order of `by`, a column of whole numbers, each once. One query for the rows."""
    if wanted.position is not None:
        rows = rows.filter(**{f"{by}__{'lt' if newest else 'gt'}": wanted.position})
    found = list(rows.order_by(f"-{by}" if newest else by)[: wanted.limit + 1])
    shown = found[: wanted.limit]
    more = len(found) > wanted.limit
    return {
        "items": shape(shown),
        "next_cursor": wanted.cursor_behind(getattr(shown[-1], by)) if more else None,
    }
