"""A request that creates, sent twice with the same Idempotency-Key, creates once.

The key, what it creates and the answer are written in one transaction: a process that is killed in between leaves none of
them. Of requests at the same moment one waits for the other at the key's row and then gets its answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from pydantic import BaseModel

from accounts.models import Organization
from api.models import KeptAnswer
from api.protocol.errors import ApiError
from environments.json_text import read_json
from infrastructure.transactions import write_transaction

KEPT_FOR = timedelta(hours=24)
PRUNED_AT_ONCE = 500
REUSED = "This Idempotency-Key came with another request before. Use a new key for a new request."


def once(
    request: HttpRequest, key: str | None, prepare: Callable[[], Any], create: Callable[[Any], BaseModel]
) -> HttpResponse:
    """The answer 201 to a request that creates.

    `prepare` checks and computes outside the transaction and may take its time; `create` writes what it returned. Both may
    raise; then nothing is kept, and the key may be used again. Raises ApiError 422 for a key of another request.
    """
    if key is None:
        prepared = prepare()
        with write_transaction():
            return _answer(201, create(prepared).model_dump_json())
    organization, asked = request.auth.organization, _fingerprint(request)
    kept = _kept(organization, key)
    if kept is not None:
        return _again(kept, asked)
    prepared = prepare()
    with write_transaction():
        _prune(organization, key)
        row, is_new = KeptAnswer.objects.get_or_create(
            organization=organization, key=key, defaults={"request_hash": asked}
        )
        if not is_new:
            return _again(row, asked)
        row.status, row.body = 201, create(prepared).model_dump_json()
        row.save(update_fields=["status", "body"])
        return _answer(row.status, row.body)


def _kept(organization: Organization, key: str) -> KeptAnswer | None:
    fresh = KeptAnswer.objects.filter(created_at__gt=timezone.now() - KEPT_FOR)
    return fresh.filter(organization=organization, key=key).first()


def _again(kept: KeptAnswer, asked: str) -> HttpResponse:
    if kept.request_hash != asked:
        raise ApiError(422, REUSED, code="idempotency_key_reused")
    return _answer(kept.status, kept.body, {"Idempotency-Replayed": "true"})


def _answer(status: int, body: str, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(body, "application/json; charset=utf-8", status, headers=headers)


def _fingerprint(request: HttpRequest) -> str:
    """The same for bodies that differ in spaces and the order of keys only."""
    body = json.dumps(read_json(request.body), sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.path} {body}".encode()).hexdigest()


def _prune(organization: Organization, key: str) -> None:
    """Keys whose time is over: this one, and of all organizations a few at a time, since requests wait."""
    over = KeptAnswer.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)
    over.filter(organization=organization, key=key).delete()
    oldest = over.order_by("created_at").values_list("pk", flat=True)[:PRUNED_AT_ONCE]
    KeptAnswer.objects.filter(pk__in=list(oldest)).delete()
