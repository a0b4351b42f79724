"""Generate and hash tokens."""

from __future__ import annotations

import hashlib
import secrets

PREFIX = "ee_"
RANDOM_BYTES = 20


def new_token() -> str:
    """ee_[0-9a-f]{40}: 160 random bits, with a prefix for scanners of leaked secrets."""
    return PREFIX + secrets.token_hex(RANDOM_BYTES)


def token_hash(token: str) -> str:
    """SHA-256 without salt: tokens are random, so a dictionary attack is not possible."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
