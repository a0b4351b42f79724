"""Provider keys at rest: AES-GCM, bound to the organization, the provider and the endpoint's origin.

A sealed key that is copied to another row, or whose endpoint's address changes, does not open.
"""

from __future__ import annotations

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

NONCE_BYTES = 12


class KeyUnreadable(Exception):
    """The stored key does not open: SECRET_KEY changed, or the row was copied or altered."""


def _cipher() -> AESGCM:
    derived = HKDF(SHA256(), length=32, salt=None, info=b"econevals provider keys").derive(settings.SECRET_KEY.encode())
    return AESGCM(derived)


def seal(plain: str, context: str) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _cipher().encrypt(nonce, plain.encode(), context.encode())


def unseal(sealed: bytes, context: str) -> str:
    """Raises KeyUnreadable."""
    try:
        return _cipher().decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode()).decode()
    except (InvalidTag, ValueError):
        raise KeyUnreadable("The stored key cannot be read; enter it again.") from None
