"""Idempotency-Key: a request that is sent twice with the same key creates once and gets the same answer.

The key, the created rows and the answer are written in one transaction, so a killed process leaves none of them. Of two
concurrent requests the second waits for the row of the key and then gets the stored answer.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.utils import timezone
from pydantic import BaseModel

from accounts.secrets import seal, unseal
from api.auth import ApiRequest
from api.models import KeptAnswer
from api.protocol.errors import ApiError
from environments.json_text import read_json
from infrastructure.transactions import lock_rows, write_transaction

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
            return _answer(create(prepared).model_dump_json())
    # White space and the order of keys do not make another request. Another person or service does: answers may hold tokens.
    body = json.dumps(read_json(request.body), sort_keys=True)
    caller = f"user {request.auth.user.pk}" if request.auth.user else f"token {request.auth.token.pk}"
    request_hash = hashlib.sha256(f"{caller} {request.method} {request.path} {body}".encode()).hexdigest()
    organization = request.auth.organization
    same = KeptAnswer.objects.filter(organization=organization, key=key)
    kept = same.filter(created_at__gt=timezone.now() - KEPT_FOR).first()
    if kept is not None:
        return _repeated_answer(kept, request_hash)
    prepared = prepare()
    with write_transaction():
        # Only some expired keys, because the request waits.
        over = KeptAnswer.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)
        oldest = over.order_by("created_at").values_list("pk", flat=True)[:PRUNED_AT_ONCE]
        lock_rows(over.filter(Q(organization=organization, key=key) | Q(pk__in=list(oldest)))).delete()
        row, is_new = KeptAnswer.objects.get_or_create(
            organization=organization, key=key, defaults={"request_hash": request_hash}
        )
        if not is_new:
            return _repeated_answer(row, request_hash)
        body = create(prepared).model_dump_json()
        # Sealed, because an answer may hold tokens.
        row.status, row.body = 201, base64.b64encode(seal(body, _context(row))).decode()
        row.save(update_fields=["status", "body"])
        return _answer(body)


def _repeated_answer(kept: KeptAnswer, request_hash: str) -> HttpResponse:
    if kept.request_hash != request_hash:
        raise ApiError(422, REUSED, code="idempotency_key_reused")
    return _answer(unseal(base64.b64decode(kept.body), _context(kept)), {"Idempotency-Replayed": "true"})


def _context(kept: KeptAnswer) -> str:
    return f"kept answer {kept.organization_id} {kept.request_hash}"


def _answer(body: str, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(body, "application/json; charset=utf-8", 201, headers=headers)
