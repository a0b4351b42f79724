"""How often: requests of a token, and failed authentications of a network address."""

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
"""Wrong tokens from one address in FAILED_WINDOW seconds after which they are answered 429 unread."""


def count_request(token_id: int) -> None:
    """Raises ApiError 429 where the token has used its minute up."""
    most = settings.API_REQUESTS_A_MINUTE
    if counted(f"api:requests:{token_id}", WINDOW) > most:
        raise _too_many(f"A token makes at most {most:,} requests a minute.", WINDOW)


def count_failure(request: HttpRequest) -> None:
    """Raises ApiError 429 where too many tokens from this address were wrong. Right ones are never refused for it."""
    if counted(f"api:failed:{_address(request)}", FAILED_WINDOW) > FAILED_ATTEMPTS:
        raise _too_many("Too many requests from this address came with a wrong token.", FAILED_WINDOW)


def _too_many(sentence: str, window: int) -> ApiError:
    wait = window - int(time.time()) % window
    return ApiError(429, f"{sentence} Wait {wait} s.", headers={"Retry-After": str(wait)})


def _address(request: HttpRequest) -> str:
    """A network of IPv6 is one address: whoever has one can send from any of its addresses."""
    try:
        return get_ip(request)
    except PermissionDenied:
        return "unknown"
