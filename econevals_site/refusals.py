"""What the team set-up does not start with."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

WELL_KNOWN = ("django-insecure-", "changeme", "change-me", "secret", "...")


def refuse_unsafe(*, secret_key: str, debug: bool, allowed_hosts: Sequence[str]) -> None:
    """Raises ImproperlyConfigured with one sentence."""
    if not secret_key:
        raise ImproperlyConfigured(
            "Set SECRET_KEY: with DATABASE_URL every process needs the same one, and none is generated."
        )
    if secret_key.lower().startswith(WELL_KNOWN):
        raise ImproperlyConfigured("SECRET_KEY is one that everybody knows; set a long random one.")
    if debug:
        raise ImproperlyConfigured("DEBUG shows secrets to visitors; unset it where DATABASE_URL is set.")
    if any(host.strip() in {"*", "."} for host in allowed_hosts):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name the site's hosts; * lets anybody pose as it.")
