"""Checks of the addresses (base URLs) of model endpoints."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from agents.addresses import AddressPolicy, AddressRefused, plain_url


def address_policy() -> AddressPolicy | None:
    """Return the policy that checks each connection to an address typed by a person; None if all are allowed."""
    return None if settings.ALLOW_PRIVATE_ENDPOINTS else AddressPolicy()


def check_base_url(base_url: str) -> str:
    """Return the address without a trailing slash. Raises ValidationError with one sentence if it is not allowed."""
    # Each connection is checked again, since a name may resolve to another address later.
    try:
        url = plain_url(base_url)
        parts, policy = urlsplit(url), address_policy()
        host = parts.hostname or ""
        if policy is not None:
            policy.addresses(host, parts.port or (443 if parts.scheme == "https" else 80))
    except AddressRefused as refusal:
        raise ValidationError(str(refusal)) from None
    except OSError:
        raise ValidationError(f"The host {host} could not be found.") from None
    return url
