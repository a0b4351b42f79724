"""Which addresses may be called: checked when one is saved, and again for the very address that is connected to."""

from __future__ import annotations

import ipaddress
import socket
import threading
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.addresses import check_base_url

MAX_URL = 500
NOT_HTTPS = "The address must start with https://."
PRIVATE = "This address is private, and webhooks are sent to public ones only."
LOOKUP_SECONDS = 5.0

TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that a translator turns into the IPv4 address of their last four bytes."""


class AddressRefused(Exception):
    """An address that is not called, with the sentence that says why."""


def check_webhook_url(url: str) -> str:
    """The address as typed. Raises ValidationError with one plain sentence."""
    url = url.strip()
    if len(url) > MAX_URL:
        raise ValidationError(f"An address has at most {MAX_URL} characters.")
    # Receivers often know their senders by a word in the query, so one is allowed here.
    bare, _, query = url.partition("?")
    if not query.isascii() or any(ord(c) <= 32 or ord(c) == 127 for c in query) or "#" in query:
        raise ValidationError("The part after the question mark has a character that no address has.")
    check_base_url(bare)
    parts = urlsplit(bare)
    try:
        check_scheme(parts.scheme)
        addresses_to_call(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
    except AddressRefused as refusal:
        raise ValidationError(str(refusal)) from None
    return url


def check_scheme(scheme: str) -> None:
    """Raises AddressRefused for anything but https, unless private addresses are allowed."""
    if scheme != "https" and not (scheme == "http" and settings.ALLOW_PRIVATE_ENDPOINTS):
        raise AddressRefused(NOT_HTTPS)


def addresses_to_call(host: str, port: int, seconds: float = LOOKUP_SECONDS) -> list[str]:
    """The network addresses of a host, all of which may be called. Raises AddressRefused.

    One private address among public ones refuses them all: a name that has both is a trick or a mistake.
    """
    found = _looked_up(host, port, seconds)
    if not found:
        raise AddressRefused(f"The host {host} could not be found.")
    if not settings.ALLOW_PRIVATE_ENDPOINTS and not all(is_public(address) for address in found):
        raise AddressRefused(PRIVATE)
    return found


def is_public(address: str) -> bool:
    """Whether an address, and any IPv4 address inside it, belongs to the public internet."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo and found.teredo[1])
        if found in TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner and not is_public(str(inner)):
            return False
        if found.ipv4_mapped:
            return True
    return found.is_global and not found.is_multicast


def _looked_up(host: str, port: int, seconds: float) -> list[str]:
    """In a thread, since the system's resolver takes no deadline and a slow one must not hold up other deliveries."""
    found: list[str] = []

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(str(info[4][0]) for info in infos))

    thread = threading.Thread(target=look_up, name="look-up", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    return list(found)
