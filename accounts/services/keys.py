"""Rotation of the secret that encrypts provider keys, two-factor secrets and queued mails."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts import hooks
from accounts.models import Endpoint, Notice
from accounts.secrets import (
    KeyUnreadable,
    Rotation,
    is_sealed_with_first,
    is_text_sealed_with_first,
    seal,
    seal_text,
    unseal,
    unseal_text,
)
from accounts.services.endpoints import endpoint_context

TWO_FACTOR_FIELDS = ("secret", "seed")


def keys_rotate() -> Rotation:
    """Encrypt everything with the first secret. Safe to repeat at any time, also while runs are played."""
    rotation = Rotation()
    for endpoint in Endpoint.objects.exclude(sealed_key=b"").iterator():
        _rotate_endpoint(endpoint, rotation)
    for pk in Authenticator.objects.values_list("pk", flat=True):
        _rotate_authenticator(pk, rotation)
    for notice in Notice.objects.only("sealed"):
        _rotate_notice(notice, rotation)
    for resealed in hooks.secrets_rotating:
        resealed(rotation)
    return rotation


def _rotate_endpoint(endpoint: Endpoint, rotation: Rotation) -> None:
    context, sealed = endpoint_context(endpoint), bytes(endpoint.sealed_key)
    if is_sealed_with_first(sealed, context):
        rotation.current += 1
        return
    try:
        renewed = seal(unseal(sealed, context), context)
    except KeyUnreadable:
        rotation.unreadable += 1
        return
    # The update is conditional, so that it does not overwrite a key that is entered at this moment.
    rotation.renewed += Endpoint.objects.filter(pk=endpoint.pk, sealed_key=sealed).update(sealed_key=renewed)


def _rotate_notice(notice: Notice, rotation: Rotation) -> None:
    try:
        if is_text_sealed_with_first(notice.sealed):
            rotation.current += 1
            return
        renewed = seal_text(unseal_text(notice.sealed))
    except KeyUnreadable:
        rotation.unreadable += 1
        return
    rotation.renewed += Notice.objects.filter(pk=notice.pk).update(sealed=renewed)


@transaction.atomic
def _rotate_authenticator(pk: int, rotation: Rotation) -> None:
    authenticator = Authenticator.objects.select_for_update().filter(pk=pk).first()
    for name in TWO_FACTOR_FIELDS:
        sealed = authenticator.data.get(name) if authenticator else None
        if not sealed:
            continue
        try:
            if is_text_sealed_with_first(sealed):
                rotation.current += 1
                continue
            renewed = seal_text(unseal_text(sealed))
        except KeyUnreadable:
            rotation.unreadable += 1
            continue
        authenticator.data[name] = renewed
        authenticator.save(update_fields=["data"])
        rotation.renewed += 1
