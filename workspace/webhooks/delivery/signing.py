"""Secrets of webhooks and the signatures made with them: HMAC-SHA256 of `timestamp.body`."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from accounts.secrets import Rotation, seal, unseal
from workspace.webhooks.models import Webhook


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def seal_secret(organization_id: int, secret: str) -> bytes:
    return seal(secret, secret_context(organization_id))


def secret_context(organization_id: int) -> str:
    """Binds an encrypted secret to its organization and purpose, so that a copied row cannot be decrypted."""
    return f"{organization_id}|webhook signature"


def valid_secrets(webhook: Webhook) -> list[str]:
    """The secrets to sign with now, the current one first. Raises KeyUnreadable."""
    context = secret_context(webhook.organization_id)
    sealed = [webhook.sealed_secret, *([webhook.former_secret] if webhook.former_signs else [])]
    return [unseal(bytes(item), context) for item in sealed]


def signature_header(secrets: Iterable[str], timestamp: int, body: bytes) -> str:
    """'t=1790000000,v1=...' with a signature for each secret."""
    message = f"{timestamp}.".encode() + body
    signatures = [hmac.new(secret.encode(), message, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={signature}" for signature in signatures)])


def webhooks_reseal(rotation: Rotation) -> None:
    """Encrypt all secrets again with the first key, for `bin/econevals rotate_keys`."""
    for webhook in Webhook.objects.iterator():
        context = secret_context(webhook.organization_id)
        for column in ("sealed_secret", "former_secret"):
            sealed = bytes(getattr(webhook, column))
            if sealed and (renewed := rotation.renew(sealed, context)):
                # Conditional, so that a secret that an owner creates at this moment is kept.
                row = Webhook.objects.filter(pk=webhook.pk, **{column: sealed})
                rotation.renewed += row.update(**{column: renewed})
