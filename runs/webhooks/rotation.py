"""Sealing the secrets of webhooks anew, for `manage.py rotate_keys`."""

from __future__ import annotations

from accounts.secrets import KeyUnreadable, is_sealed_with_first, seal, unseal
from accounts.services.keys import Rotation
from runs.models import Webhook
from runs.webhooks.signing import secret_context

COLUMNS = ("sealed_secret", "former_secret")


def webhooks_reseal(rotation: Rotation) -> None:
    for webhook in Webhook.objects.iterator():
        for column in COLUMNS:
            _reseal(webhook, column, rotation)


def _reseal(webhook: Webhook, column: str, rotation: Rotation) -> None:
    sealed, context = bytes(getattr(webhook, column)), secret_context(webhook.organization_id)
    if not sealed:
        return
    if is_sealed_with_first(sealed, context):
        rotation.current += 1
        return
    try:
        renewed = seal(unseal(sealed, context), context)
    except KeyUnreadable:
        rotation.unreadable += 1
        return
    # Conditional, so that a secret that an owner makes at this moment stays.
    rotation.renewed += Webhook.objects.filter(pk=webhook.pk, **{column: sealed}).update(**{column: renewed})
