"""Sealing the secrets of webhooks anew, for `manage.py rotate_keys`."""

from __future__ import annotations

from accounts.secrets import KeyUnreadable, Rotation, is_sealed_with_first, seal, unseal
from webhooks.delivery.signing import secret_context
from webhooks.models import Webhook


def webhooks_reseal(rotation: Rotation) -> None:
    for webhook in Webhook.objects.iterator():
        context, rows = secret_context(webhook.organization_id), Webhook.objects.filter(pk=webhook.pk)
        sealed, former = bytes(webhook.sealed_secret), bytes(webhook.former_secret)
        # Conditional, so that a secret that an owner makes at this moment stays.
        if renewed := _renewed(sealed, context, rotation):
            rotation.renewed += rows.filter(sealed_secret=sealed).update(sealed_secret=renewed)
        if renewed := _renewed(former, context, rotation):
            rotation.renewed += rows.filter(former_secret=former).update(former_secret=renewed)


def _renewed(sealed: bytes, context: str, rotation: Rotation) -> bytes:
    """The same secret under the first key; empty where there is nothing to renew, which is counted."""
    if not sealed:
        return b""
    if is_sealed_with_first(sealed, context):
        rotation.current += 1
        return b""
    try:
        return seal(unseal(sealed, context), context)
    except KeyUnreadable:
        rotation.unreadable += 1
        return b""
