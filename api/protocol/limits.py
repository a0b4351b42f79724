"""Rate limits: requests of a token, and wrong tokens from a network address."""

from __future__ import annotations

import time

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from api.protocol.errors import ApiError
from infrastructure.limits import counted

WINDOW = 60
FAILED_WINDOW = 300
FAILED_ATTEMPTS = 30
"""Wrong tokens from one address in FAILED_WINDOW seconds before the answer is 429."""


def count_request(token_id: int) -> None:
    """Raises ApiError 429 if the token made too many requests in this minute."""
    most = settings.API_REQUESTS_A_MINUTE
    if counted(f"api:requests:{token_id}", WINDOW) > most:
        raise _too_many(f"A token makes at most {most:,} requests a minute.", WINDOW)


def count_failure(request: HttpRequest) -> None:
    """Raises ApiError 429 after too many wrong tokens from this address. Valid tokens are not limited by this."""
    try:
        # allauth counts an IPv6 network as one address, since its owner can send from any of its addresses.
        address = get_ip(request)
    except PermissionDenied:
        address = "unknown"
    if counted(f"api:failed:{address}", FAILED_WINDOW) > FAILED_ATTEMPTS:
        raise _too_many("Too many requests from this address came with a wrong token.", FAILED_WINDOW)


def _too_many(sentence: str, window: int) -> ApiError:
    wait = window - int(time.time()) % window
    return ApiError(429, f"{sentence} Wait {wait} s.", headers={"Retry-After": str(wait)})
