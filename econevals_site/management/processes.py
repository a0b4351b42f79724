"""Command lines of child processes."""

from __future__ import annotations

import sys

from django.conf import settings


def manage(*words: str) -> list[str]:
    """A management command in a process of its own, from any folder."""
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *words]
