"""Code that all operations share: parameters, routers, error answers, pages of lists, idempotency.

A page starts after the last row of the previous page, so new rows do not shift it. A cursor is the position of that
row, signed together with the organization, the path and the filters of the list.

Requests that repeat an Idempotency-Key create one object and get the same answer. The key, the created rows and the
answer are written in one transaction, so a killed process leaves none of them. Of two concurrent requests, the second
waits for the row of the key and then gets the stored answer.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import wraps
from typing import Annotated, Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Header, Path, Query, Router
from ninja.operation import Operation
from pydantic import AfterValidator, BaseModel, Field

from accounts.pages.requests import MemberRequest
from accounts.secrets import seal, unseal
from api.auth import ApiRequest
from api.models import KeptAnswer
from api.protocol.errors import ApiError, invalid
from api.schemas.base import ErrorOut
from environments.json_text import read_json
from infrastructure.schemas import Plain
from infrastructure.transactions import lock_rows, write_transaction


def known_parameters_only(run: Callable[..., Any]) -> Callable[..., Any]:
    """Make an operation answer 422 for an unknown query parameter, since a misspelt filter must not return all rows."""
    # This wraps the operation's `view_func` and not its `run`, so that the check comes after authentication.
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    parameter_names = {
        name
        for model in operation.models
        if model.__ninja_param_source__ == "query"
        for name in model.__ninja_flatten_map__
    }
    view = operation.view_func

    @wraps(view)
    def checked(request: HttpRequest, **values: Any) -> Any:
        if unknown := [name for name in request.GET if name not in parameter_names]:
            raise invalid({unknown[0][:100]: "There is no such parameter."})
        return view(request, **values)

    operation.view_func = checked
    return run


USUAL, MOST = 50, 200
Id = Annotated[int, Path(description="The number of the object, as in lists and addresses.", examples=[12])]
Limit = Annotated[int, Query(ge=1, le=MOST, description=f"Number of rows on a page, at most {MOST}.")]
Cursor = Annotated[
    Plain | None,
    Query(max_length=300, description="`next_cursor` of the previous page; leave it out for the first page."),
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
        description="Your own key, new for each object to create, such as a UUID. For 24 hours, the same request with the "
        "same key creates nothing more and gets the first answer again.",
    ),
]
EXPERIMENT, RUN = "/experiments/{int:experiment_id}", "/runs/{int:run_id}"
"""Paths of one experiment and one run."""

OWN = ("limit", "cursor")


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
    """A page of a list as {"items", "next_cursor"}. One query for the rows.

    by: a column of distinct whole numbers to sort by; newest: whether to sort in descending order
    read: reads further data for the rows of the page
    shape: turns a row into an item
    Raises ApiError 422 for a cursor that is forged or belongs to another list.
    """
    filters = sorted(
        (key, value) for key, values in request.GET.lists() for value in values if key not in ("limit", "cursor")
    )
    signer = Signer(salt=f"api.cursor {request.organization.pk} {request.path} {urlencode(filters)}", sep=".")
    if cursor is not None:
        try:
            position = int(signer.unsign(cursor))
        except (BadSignature, ValueError):
            raise invalid(
                {"cursor": "This is not a cursor of this list with these filters. Begin without one."}
            ) from None
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


def answers(
    model: Any, status: int = 200, *, has_404: bool = True, has_409: bool = False, body: bool = False
) -> dict[int, Any]:
    """The response models of an operation, by status.

    has_404, has_409: whether it can answer 404 and 409; body: whether it reads a body
    """
    errors = {401, 403, 422, 429} | ({404} if has_404 else set()) | ({400, 413, 415} if body else set())
    return {status: model} | dict.fromkeys([*sorted(errors), *([409] if has_409 else [])], ErrorOut)


def given(**values: Any) -> dict[str, Any]:
    """The values that are not None, such as the conditions of the filters that a request has."""
    return {name: value for name, value in values.items() if value is not None}


KEPT_FOR = timedelta(hours=24)
PRUNED_AT_ONCE = 500


def once(
    request: ApiRequest,
    key: str | None,
    schema: type[BaseModel],
    prepare: Callable[[], Any],
    create: Callable[[Any], dict[str, Any]],
) -> HttpResponse:
    """Create an object and answer 201, or repeat the stored answer.

    prepare: checks and computes before the transaction
    create: receives the result of `prepare`, writes, and returns the values of an answer with this schema
    If one of them raises, nothing is stored and the key can be used again. Raises ApiError 422 if the key belongs to a
    different request.
    """
    if key is None:
        prepared = prepare()
        with write_transaction():
            return _answer(schema.model_validate(create(prepared)).model_dump_json())
    request_hash = _request_hash(request)
    organization = request.auth.organization
    lasting = Q(created_at__gt=timezone.now() - KEPT_FOR)
    if kept := KeptAnswer.objects.filter(lasting, organization=organization, key=key).first():
        return _repeated_answer(kept, request_hash)
    prepared = prepare()
    with write_transaction():
        # Each request deletes at most PRUNED_AT_ONCE expired keys, so that it is not slowed down.
        over = KeptAnswer.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)
        oldest = over.order_by("created_at").values_list("pk", flat=True)[:PRUNED_AT_ONCE]
        lock_rows(over.filter(Q(organization=organization, key=key) | Q(pk__in=list(oldest)))).delete()
        row, is_new = KeptAnswer.objects.get_or_create(
            organization=organization, key=key, defaults={"request_hash": request_hash}
        )
        if not is_new:
            return _repeated_answer(row, request_hash)
        body = schema.model_validate(create(prepared)).model_dump_json()
        # The answer is encrypted, because it may hold tokens.
        row.status, row.body = 201, base64.b64encode(seal(body, _context(row))).decode()
        row.save(update_fields=["status", "body"])
        return _answer(body)


def _request_hash(request: ApiRequest) -> str:
    # White space and the order of keys do not make a request different. Another caller does, since
    # the stored answer may contain tokens.
    body = json.dumps(read_json(request.body), sort_keys=True)
    caller = f"user {request.auth.user.pk}" if request.auth.user else f"token {request.auth.token.pk}"
    return hashlib.sha256(f"{caller} {request.method} {request.path} {body}".encode()).hexdigest()


def _repeated_answer(kept: KeptAnswer, request_hash: str) -> HttpResponse:
    if kept.request_hash != request_hash:
        raise ApiError(
            422,
            "This Idempotency-Key was used for another request. Use a new key for a new request.",
            code="idempotency_key_reused",
        )
    return _answer(unseal(base64.b64decode(kept.body), _context(kept)), {"Idempotency-Replayed": "true"})


def _context(kept: KeptAnswer) -> str:
    return f"kept answer {kept.organization_id} {kept.request_hash}"


def _answer(body: str, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(body, "application/json; charset=utf-8", 201, headers=headers)
