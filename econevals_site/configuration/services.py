"""Settings of Django and django-allauth, from environment variables: database, cache, e-mail, OpenID Connect and logs."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

from econevals_site.configuration.environment import env_text

CHECKED = "ssl_cert_reqs"
TLS_OPTIONS = {CHECKED, "ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}

POOL_SIZE = 16
"""Maximum number of database connections of a process."""


def database_config(url: str, data_dir: Path, lease_seconds: int) -> dict[str, Any]:
    """Return Django's settings of the PostgreSQL or SQLite database at `url`; without one, SQLite in the data folder.

    lease_seconds: length of a lease, from which the time-outs of the pool follow. A thread that waits for a connection
        must learn of an outage within a lease. Then it keeps its paid reply in a file before another worker can take its
        run. It also reconnects soon after the outage.
    """
    if not url:
        return sqlite(data_dir / "econevals.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path)))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must start with postgres:// or sqlite:///.")
    pool = {"min_size": 1, "max_size": POOL_SIZE, "timeout": lease_seconds / 2, "reconnect_timeout": lease_seconds / 3}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": parts.port or "",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        # A worker's hundreds of threads share a few connections. A thread that waits for a model keeps none.
        "OPTIONS": dict(parse_qsl(parts.query)) | {"pool": pool},
    }


def sqlite(path: Path) -> dict[str, Any]:
    """Return Django's settings of an SQLite database.

    WAL lets pages read while a worker writes. IMMEDIATE makes writers queue at BEGIN instead of failing halfway.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-2000;",
        },
        # Tests use a file too: with a database in memory, a thread that reads while another one writes would fail.
        "TEST": {"NAME": path.with_name("test.sqlite3")},
    }


def redis_url(url: str) -> str:
    """Return REDIS_URL in a form that redis-py and Celery read in the same way, with certificates checked.

    Raises ImproperlyConfigured for other kinds of addresses and unknown options.
    """
    if not url:
        return ""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
        raise ImproperlyConfigured(
            "REDIS_URL must be like redis://host:6379/0, or rediss:// for a connection with TLS."
        )
    if unknown := sorted(options.keys() - (TLS_OPTIONS if parts.scheme == "rediss" else set())):
        raise ImproperlyConfigured(f"REDIS_URL has the option {unknown[0]}, which not every part of the site reads.")
    checked = options.pop(CHECKED, "required").lower().removeprefix("cert_")
    if checked != "required":
        raise ImproperlyConfigured(
            f"REDIS_URL asks not to check the server's certificate. For one of your own add ?ssl_ca_certs=FILE instead of "
            f"{CHECKED}={checked}."
        )
    if parts.scheme == "rediss":
        options[CHECKED] = checked
    return parts._replace(query=urlencode(options)).geturl()


def cache_config(url: str) -> dict[str, Any]:
    return {
        "BACKEND": "infrastructure.caches.PatientCache",
        "LOCATION": url,
        "KEY_PREFIX": "econevals",
        "OPTIONS": {
            "serializer": "infrastructure.caches.JSONSerializer",
            "socket_connect_timeout": 1,
            "socket_timeout": 2,
        },
    }


PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
FORMATS = {
    "plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
    "json": {"()": "infrastructure.processes.logs.JSONLines"},
}
QUIET = ("celery", "fontTools", "django_mcpz", "httpx2", "httpcore2", "openai", "anthropic")
"""Loggers that are limited to warnings. The last four would log headers and bodies, which may contain a key."""


def email_config(url: str, folder: Path) -> dict[str, Any]:
    """Return Django's e-mail settings by name. Without a URL, messages are written to files in `folder`."""
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
    """Return django-allauth's settings of OpenID Connect."""
    return {
        "provider_class": "accounts.sign_in.provider.SingleSignOn",
        "OAUTH_PKCE_ENABLED": True,
        "APPS": _openid_apps(),
    }


def _openid_apps() -> list[dict[str, Any]]:
    """Return the settings of the site's identity provider, as a list of one; [] if it has none."""
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
    return [
        {
            "provider_id": "sso",
            "name": env_text("ECONEVALS_OIDC_NAME") or "single sign-on",
            "client_id": client_id,
            "secret": secret,
            "settings": {"server_url": issuer},
        }
    ]


def logging_config(level: str, form: str) -> dict[str, Any]:
    if form not in FORMATS:
        raise ImproperlyConfigured(f"ECONEVALS_LOG_FORMAT must be {' or '.join(FORMATS)}, not {form!r}.")
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
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["private_paths"]},
            "django.security.DisallowedHost": {"filters": ["without_traceback"]},
            **{name: {"level": "WARNING"} for name in QUIET},
        },
    }
