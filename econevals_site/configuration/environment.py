"""Functions that read typed environment variables. A wrong value raises ImproperlyConfigured."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def env_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def env_int(name: str, default: int) -> int:
    value = env_text(name) or str(default)
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None


def env_bool(name: str, default: bool) -> bool:
    value = env_text(name).lower()
    if value in {"", "0", "1", "true", "false", "yes", "no"}:
        return default if not value else value in {"1", "true", "yes"}
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def env_list(name: str) -> list[str]:
    return [item.strip() for item in env_text(name).split(",") if item.strip()]


def secret_from_file(path: Path) -> str:
    """Return the secret in a file that only its owner can read. The first call creates it, and is safe across processes."""
    with (
        suppress(FileExistsError),
        os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file,
    ):
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()
