"""Single sign-on with the OpenID Connect provider that the environment names."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from econevals_site.configuration.environment import env_text

PROVIDER_ID = "sso"
NEEDED = ("ECONEVALS_OIDC_ISSUER", "ECONEVALS_OIDC_CLIENT_ID", "ECONEVALS_OIDC_SECRET")


def openid_apps() -> list[dict[str, Any]]:
    """django-allauth's list of apps: one app, or none without settings."""
    values = [env_text(name) for name in NEEDED]
    if not any(values):
        return []
    if not all(values):
        missing = " and ".join(name for name, value in zip(NEEDED, values, strict=True) if not value)
        raise ImproperlyConfigured(f"Single sign-on also needs {missing}.")
    issuer, client_id, secret = values
    return [
        {
            "provider_id": PROVIDER_ID,
            "name": env_text("ECONEVALS_OIDC_NAME") or "single sign-on",
            "client_id": client_id,
            "secret": secret,
            "settings": {"server_url": issuer},
        }
    ]
