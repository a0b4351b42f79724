"""LOG_LEVEL to Django's LOGGING."""

from __future__ import annotations

from typing import Any


def logging_config(level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
        "filters": {"private_paths": {"()": "econevals_site.serving.private_paths.PrivatePaths"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["private_paths"]},
            "celery": {"level": "WARNING"},
            # These log headers and bodies, which may contain a key.
            **{name: {"level": "WARNING"} for name in ("httpx2", "httpcore2", "openai", "anthropic")},
            "fontTools": {"level": "WARNING"},
        },
    }
