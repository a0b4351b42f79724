"""Shared by all operations: parameters, routers and error answers."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Header, Path, Query, Router

from api.protocol.paging import MOST, USUAL
from api.protocol.reading import known_parameters_only
from api.schemas.base import ErrorOut, Plain

Id = Annotated[int, Path(description="Its number, as in lists and addresses.", examples=[12])]
Limit = Annotated[int, Query(ge=1, le=MOST, description=f"Rows a page, at most {MOST}.")]
Cursor = Annotated[
    Plain | None, Query(max_length=300, description="`next_cursor` of the page before; leave it out to begin.")
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="A text of your own, new for each thing to create, such as a UUID. The same request with the same key "
        "creates once and gets the same answer again, for 24 hours.",
    ),
]
USUAL_LIMIT = USUAL


def resource(tag: str) -> Router:
    router = Router(tags=[tag])
    router.add_decorator(known_parameters_only, mode="view")
    return router


def answers(model: Any, status: int = 200, *, of_one: bool = True, body: bool = False) -> dict[int, Any]:
    """The answers of an operation. of_one: whether it can answer 404; body: whether it reads a body."""
    errors = {401, 403, 422, 429} | ({404} if of_one else set()) | ({400, 413, 415} if body else set())
    return {status: model} | dict.fromkeys(sorted(errors), ErrorOut)
