"""Idempotency-Key: a request that is sent twice with the same key creates once and gets the same answer.

The key, the created rows and the answer are written in one transaction, so a killed process leaves none of them. Of two
concurrent requests the second waits for the row of the key and then gets the stored answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from pydantic import BaseModel

from accounts.models import Organization
from api.auth import ApiRequest
from api.models import KeptAnswer
from api.protocol.errors import ApiError
from environments.json_text import read_json
from infrastructure.transactions import write_transaction

KEPT_FOR = timedelta(hours=24)
PRUNED_AT_ONCE = 500
REUSED = "This Idempotency-Key was used for another request. Use a new key for a new request."


def once(
    request: ApiRequest, key: str | None, prepare: Callable[[], Any], create: Callable[[Any], BaseModel]
) -> HttpResponse:
    """Create something and answer 201, or repeat the stored answer.

    `prepare` checks and computes before the transaction; `create` gets its result and writes. If one of them raises,
    nothing is stored and the key can be used again. Raises ApiError 422 for a key of another request.
    """
    if key is None:
        prepared = prepare()
        with write_transaction():
            return _answer(201, create(prepared).model_dump_json())
    organization, asked = request.auth.organization, _fingerprint(request)
    fresh = KeptAnswer.objects.filter(created_at__gt=timezone.now() - KEPT_FOR)
    kept = fresh.filter(organization=organization, key=key).first()
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


def _again(kept: KeptAnswer, asked: str) -> HttpResponse:
    if kept.request_hash != asked:
        raise ApiError(422, REUSED, code="idempotency_key_reused")
    return _answer(kept.status, kept.body, {"Idempotency-Replayed": "true"})


def _answer(status: int, body: str, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(body, "application/json; charset=utf-8", status, headers=headers)


def _fingerprint(request: ApiRequest) -> str:
    """A hash of the request that ignores white space and the order of keys."""
    body = json.dumps(read_json(request.body), sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.path} {body}".encode()).hexdigest()


def _prune(organization: Organization, key: str) -> None:
    """Delete this key if it expired, and some expired keys of all organizations: few, because the request waits."""
    over = KeptAnswer.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)
    over.filter(organization=organization, key=key).delete()
    oldest = over.order_by("created_at").values_list("pk", flat=True)[:PRUNED_AT_ONCE]
    KeptAnswer.objects.filter(pk__in=list(oldest)).delete()
