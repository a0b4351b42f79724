"""What was typed into a form or the address bar."""

from django.http import QueryDict


def whole(text: str | None, default: int) -> int:
    """A number from the address bar, whatever was typed there."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else default


def typed(data: QueryDict, key: str) -> str:
    """A text as typed, without NUL, which PostgreSQL refuses."""
    return data.get(key, "").replace("\x00", "").strip()[:200]
