"""Addresses that may receive webhooks: the same as for model endpoints, but https only and with an optional query."""

from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.addresses import check_base_url

MAX_URL = 500
NOT_HTTPS = "The address must start with https://."


def check_webhook_url(url: str) -> str:
    """The address without surrounding spaces. Raises ValidationError with one sentence."""
    url = url.strip()
    if len(url) > MAX_URL:
        raise ValidationError(f"An address has at most {MAX_URL} characters.")
    if any(ord(c) <= 32 or ord(c) == 127 for c in url):
        raise ValidationError("The address must not contain spaces or line breaks.")
    # Receivers often identify senders by a token in the query, so a query is allowed here.
    bare, _, query = url.partition("?")
    if not query.isascii() or "#" in query:
        raise ValidationError("The part after the question mark has a character that is not allowed in an address.")
    check_base_url(bare)
    if not is_safe_scheme(url):
        raise ValidationError(NOT_HTTPS)
    return url


def is_safe_scheme(url: str) -> bool:
    """Whether the URL is https. Where private addresses are allowed, every scheme is."""
    return settings.ALLOW_PRIVATE_ENDPOINTS or url.lower().startswith("https://")
