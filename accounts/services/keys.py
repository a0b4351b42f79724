"""Rotation of the secret that encrypts provider keys, two-factor secrets and queued mails."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts import hooks
from accounts.models import Endpoint, Notice
from accounts.secrets import Rotation
from accounts.services.endpoints import endpoint_context
from accounts.services.headers import headers_context

TWO_FACTOR_FIELDS = ("secret", "seed")


def keys_rotate() -> Rotation:
    """Encrypt all stored secrets with the first of KEY_SECRETS. Safe to repeat at any time, also during runs."""
    rotation = Rotation()
    for endpoint in Endpoint.objects.exclude(sealed_key=b"").iterator():
        old = bytes(endpoint.sealed_key)
        if new := rotation.renew(old, endpoint_context(endpoint)):
            # The update is conditional, so that it does not overwrite a key that is entered at this moment.
            rotation.renewed += Endpoint.objects.filter(pk=endpoint.pk, sealed_key=old).update(sealed_key=new)
    for endpoint in Endpoint.objects.exclude(sealed_headers=b"").iterator():
        old = bytes(endpoint.sealed_headers)
        if new := rotation.renew(old, headers_context(endpoint_context(endpoint))):
            rotation.renewed += Endpoint.objects.filter(pk=endpoint.pk, sealed_headers=old).update(sealed_headers=new)
    for pk in Authenticator.objects.values_list("pk", flat=True):
        _rotate_authenticator(pk, rotation)
    for notice in Notice.objects.only("sealed"):
        if text := rotation.renew_text(notice.sealed):
            rotation.renewed += Notice.objects.filter(pk=notice.pk).update(sealed=text)
    for resealed in hooks.secrets_rotating:
        resealed(rotation)
    return rotation


@transaction.atomic
def _rotate_authenticator(pk: int, rotation: Rotation) -> None:
    authenticator = Authenticator.objects.select_for_update(no_key=True).filter(pk=pk).first()
    for name in TWO_FACTOR_FIELDS:
        sealed = authenticator.data.get(name) if authenticator else None
        if sealed and (renewed := rotation.renew_text(sealed)):
            authenticator.data[name] = renewed
            authenticator.save(update_fields=["data"])
            rotation.renewed += 1
