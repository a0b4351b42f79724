"""Shared by all operations: parameters, routers, error answers, and pages of lists.

A page starts after the last row of the page before, so new rows do not shift it. A cursor is the position of that row, signed
together with the organization, the path and the filters of the list.
"""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer
from django.db.models import QuerySet
from ninja import Header, Path, Query, Router
from pydantic import AfterValidator, Field

from accounts.pages.requests import MemberRequest
from api.protocol.errors import invalid
from api.protocol.reading import known_parameters_only
from api.schemas.base import ErrorOut
from infrastructure.schemas import Plain

USUAL, MOST = 50, 200
Id = Annotated[int, Path(description="Its number, as in lists and addresses.", examples=[12])]
Limit = Annotated[int, Query(ge=1, le=MOST, description=f"Rows a page, at most {MOST}.")]
Cursor = Annotated[
    Plain | None, Query(max_length=300, description="`next_cursor` of the page before; leave it out to begin.")
]


def _key(text: str) -> str:
    if not re.fullmatch("[!-~]+", text):
        raise ValueError("A key has letters, digits and signs of ASCII, without spaces, such as a UUID.")
    return text


Key = Annotated[str, Field(max_length=200, json_schema_extra={"pattern": "^[!-~]+$"}), AfterValidator(_key)]
IdempotencyKey = Annotated[
    Key | None,
    Header(
        alias="Idempotency-Key",
        description="A text of your own, new for each thing to create, such as a UUID. The same request with the same key "
        "creates once and gets the same answer again, for 24 hours.",
    ),
]
EXPERIMENT, RUN = "/experiments/{int:experiment_id}", "/runs/{int:run_id}"
"""Addresses of one experiment and one run."""

OWN = ("limit", "cursor")
NO_CURSOR = "This is not a cursor of this list with these filters. Begin without one."


def page_of(
    request: MemberRequest,
    rows: QuerySet[Any],
    limit: int,
    cursor: str | None,
    shape: Callable[[Any], dict[str, Any]],
    *,
    read: Callable[[list[Any]], Iterable[Any]] = list,
    by: str = "pk",
    newest: bool = False,
) -> dict[str, Any]:
    """{"items", "next_cursor"} in the order of `by`, a column of whole numbers, each once. One query for the rows.

    `read` reads more about the rows of the page, `shape` turns each of its rows into an item.
    Raises ApiError 422 for a cursor that is forged or belongs to another list.
    """
    filters = sorted((key, value) for key, values in request.GET.lists() for value in values if key not in OWN)
    signer = Signer(salt=f"api.cursor {request.organization.pk} {request.path} {urlencode(filters)}", sep=".")
    if cursor is not None:
        try:
            position = int(signer.unsign(cursor))
        except (BadSignature, ValueError):
            raise invalid({"cursor": NO_CURSOR}) from None
        rows = rows.filter(**{f"{by}__{'lt' if newest else 'gt'}": position})
    fetched_rows = list(rows.order_by(f"-{by}" if newest else by)[: limit + 1])
    page_rows = fetched_rows[:limit]
    return {
        "items": [shape(row) for row in read(page_rows)],
        "next_cursor": signer.sign(str(getattr(page_rows[-1], by))) if len(fetched_rows) > limit else None,
    }


def resource(tag: str) -> Router:
    router = Router(tags=[tag])
    router.add_decorator(known_parameters_only, mode="view")
    return router


def answers(model: Any, status: int = 200, *, has_404: bool = True, body: bool = False) -> dict[int, Any]:
    """The answers of an operation. has_404: whether it can answer 404; body: whether it reads a body."""
    errors = {401, 403, 422, 429} | ({404} if has_404 else set()) | ({400, 413, 415} if body else set())
    return {status: model} | dict.fromkeys(sorted(errors), ErrorOut)
