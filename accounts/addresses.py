"""Which addresses a model endpoint may have."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError


def origin(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"


def check_base_url(base_url: str) -> str:
    """The address without a trailing slash. Raises ValidationError with one plain sentence."""
    url = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValidationError("This is not a web address.") from None
    if parts.scheme not in {"http", "https"} or not host or any(ord(c) <= 32 or ord(c) == 127 for c in url):
        raise ValidationError("The address must start with http:// or https:// and name a host.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValidationError("The address must not contain a user name, a query or a fragment.")
    if not settings.ALLOW_PRIVATE_ENDPOINTS:
        _check_public(host, port or (443 if parts.scheme == "https" else 80))
    return url


def _check_public(host: str, port: int) -> None:
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except OSError:
        raise ValidationError(f"The host {host} could not be found.") from None
    if not all(ipaddress.ip_address(address).is_global for address in found):
        raise ValidationError(
            "This address is private. Set ECONEVALS_ALLOW_PRIVATE_ENDPOINTS=1 to allow endpoints on this network."
        )
