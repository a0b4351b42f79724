"""The secret of a webhook and the signature it makes: HMAC-SHA256 of `timestamp.body`."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from accounts.secrets import seal, unseal
from webhooks.models import Webhook

HEADER = "EconEvals-Signature"


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def seal_secret(organization_id: int, secret: str) -> bytes:
    return seal(secret, secret_context(organization_id))


def secret_context(organization_id: int) -> str:
    """What a stored secret is bound to: it opens in no other organization and for nothing else."""
    return f"{organization_id}|webhook signature"


def valid_secrets(webhook: Webhook) -> list[str]:
    """The secrets to sign with now, the present one first. Raises KeyUnreadable."""
    context = secret_context(webhook.organization_id)
    sealed = [webhook.sealed_secret, *([webhook.former_secret] if webhook.former_signs else [])]
    return [unseal(bytes(item), context) for item in sealed]


def signature_header(secrets: Iterable[str], timestamp: int, body: bytes) -> str:
    """'t=1790000000,v1=...' with a signature for each secret."""
    return ",".join([f"t={timestamp}", *(f"v1={_signature(secret, timestamp, body)}" for secret in secrets)])


def _signature(secret: str, timestamp: int, body: bytes) -> str:
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
