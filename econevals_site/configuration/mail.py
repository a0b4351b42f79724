"""EMAIL_URL to Django's e-mail settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SMTP = "infrastructure.mail_server.MailServer"
FILES = "django.core.mail.backends.filebased.EmailBackend"
PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def email_config(url: str, folder: Path) -> dict[str, Any]:
    """E-mail settings by name. Without a URL, messages are written to files in `folder`."""
    if not url:
        return {"EMAIL_BACKEND": FILES, "EMAIL_FILE_PATH": folder}
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL must be like smtp+tls://user:password@mail.example.org:587.")
    return {
        "EMAIL_BACKEND": SMTP,
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }
