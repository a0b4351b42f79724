"""E-mail, OpenID Connect and logs: environment variables to the settings of Django and django-allauth."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from econevals_site.configuration.environment import env_text

PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
FORMATS = {
    "plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
    "json": {"()": "econevals_site.operation.logs.JSONLines"},
}
QUIET = ("celery", "fontTools", "django_mcpz", "httpx2", "httpcore2", "openai", "anthropic")
"""The last four log headers and bodies, which may contain a key."""


def email_config(url: str, folder: Path) -> dict[str, Any]:
    """E-mail settings by name. Without a URL, messages are written to files in `folder`."""
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend", "EMAIL_FILE_PATH": folder}
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL must be like smtp+tls://user:password@mail.example.org:587.")
    return {
        "EMAIL_BACKEND": "infrastructure.mail_server.MailServer",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }


def openid_config() -> dict[str, Any]:
    """django-allauth's settings of OpenID Connect."""
    own_class = "accounts.sign_in.provider.SingleSignOn"
    return {"provider_class": own_class, "OAUTH_PKCE_ENABLED": True, "APPS": _openid_apps()}


def _openid_apps() -> list[dict[str, Any]]:
    """The identity provider of the site, or none without settings."""
    values = {
        "ECONEVALS_OIDC_ISSUER": env_text("ECONEVALS_OIDC_ISSUER"),
        "ECONEVALS_OIDC_CLIENT_ID": env_text("ECONEVALS_OIDC_CLIENT_ID"),
        "ECONEVALS_OIDC_SECRET": env_text("ECONEVALS_OIDC_SECRET"),
    }
    if not any(values.values()):
        return []
    if missing := [name for name, value in values.items() if not value]:
        raise ImproperlyConfigured(f"Single sign-on also needs {' and '.join(missing)}.")
    issuer, client_id, secret = values.values()
    name = env_text("ECONEVALS_OIDC_NAME") or "single sign-on"
    app = {"provider_id": "sso", "name": name, "client_id": client_id, "secret": secret}
    return [app | {"settings": {"server_url": issuer}}]


def logging_config(level: str, form: str) -> dict[str, Any]:
    if form not in FORMATS:
        raise ImproperlyConfigured(f"ECONEVALS_LOG_FORMAT must be {' or '.join(FORMATS)}, not {form!r}.")
    request = {"level": "ERROR", "filters": ["private_paths"]}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {form: FORMATS[form]},
        "filters": {
            "private_paths": {"()": "econevals_site.serving.private.PrivatePaths"},
            "without_traceback": {"()": "econevals_site.serving.private.WithoutTraceback"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {"django.request": request, "django.security.DisallowedHost": {"filters": ["without_traceback"]}}
        | {name: {"level": "WARNING"} for name in QUIET},
    }
