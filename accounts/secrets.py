"""Encryption of stored secrets: AES-GCM with the owner of the secret as associated data.

A provider key is bound to the organization, the provider and the endpoint's origin. It cannot be decrypted when it is
copied to another row or when the endpoint's address changes. The first secret of settings.KEY_SECRETS encrypts; all of
them decrypt.
"""

import base64
import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

NONCE_BYTES = 12
TWO_FACTOR = "two-factor secret"


class KeyUnreadable(Exception):
    """The stored key cannot be decrypted: its secret is gone, or the row was copied or altered."""


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal. Random tokens need no salt, because no dictionary holds them."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=16)
def _cipher(secret: str) -> AESGCM:
    return AESGCM(HKDF(SHA256(), length=32, salt=None, info=b"econevals provider keys").derive(secret.encode()))


def seal(plain: str, context: str) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _cipher(settings.KEY_SECRETS[0]).encrypt(nonce, plain.encode(), context.encode())


def unseal(sealed: bytes, context: str) -> str:
    """Decrypt the result of `seal` with the same context. Raises KeyUnreadable."""
    for secret in settings.KEY_SECRETS:
        plain = _open(sealed, context, secret)
        if plain is not None:
            return plain
    raise KeyUnreadable("The stored key cannot be read; enter it again.")


def seal_text(plain: str) -> str:
    """Encrypt for a text column, as base64. Used for the secrets of two-factor sign-in and for queued mails."""
    return base64.b64encode(seal(plain, TWO_FACTOR)).decode()


def unseal_text(sealed: str) -> str:
    """Decrypt the result of `seal_text`. Raises KeyUnreadable."""
    return unseal(_decoded(sealed), TWO_FACTOR)


def _decoded(sealed: str) -> bytes:
    try:
        return base64.b64decode(sealed, validate=True)
    except ValueError:
        raise KeyUnreadable("This secret was stored by something else.") from None


def _open(sealed: bytes, context: str, secret: str) -> str | None:
    try:
        return _cipher(secret).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode()).decode()
    except (InvalidTag, ValueError):
        return None


@dataclass
class Rotation:
    """Encrypts stored secrets again with the first secret, and counts them.

    renewed: encrypted again
    current: encrypted with the first secret already
    unreadable: decrypted by none of the secrets
    """

    renewed: int = 0
    current: int = 0
    unreadable: int = 0

    def renew(self, sealed: bytes, context: str) -> bytes | None:
        """Return the value encrypted with the first secret; None if it is current already or unreadable.

        The caller stores the result and counts it in `renewed`.
        """
        try:
            if _open(sealed, context, settings.KEY_SECRETS[0]) is None:
                return seal(unseal(sealed, context), context)
            self.current += 1
        except KeyUnreadable:
            self.unreadable += 1
        return None

    def renew_text(self, sealed: str) -> str | None:
        """Do the same as `renew` for a value of `seal_text`."""
        try:
            renewed = self.renew(_decoded(sealed), TWO_FACTOR)
            return base64.b64encode(renewed).decode() if renewed else None
        except KeyUnreadable:
            self.unreadable += 1
            return None
