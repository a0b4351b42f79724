"""What a token looks like."""

from __future__ import annotations

import hashlib
import secrets

PREFIX = "ee_"
RANDOM_BYTES = 20


def new_token() -> str:
    """160 random bits behind a prefix that scanners for leaked secrets can look for: ee_[0-9a-f]{40}."""
    return PREFIX + secrets.token_hex(RANDOM_BYTES)


def token_hash(token: str) -> str:
    """Unsalted and fast: a token is random, nothing that could be guessed from a list."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
