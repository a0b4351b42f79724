"""What was typed into a form or the address bar."""

from django.http import QueryDict


def whole(text: str | None, default: int) -> int:
    """A number from the address bar, whatever was typed there."""
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else default


def period_problem(text: str | None, last: int) -> str:
    """Why what was typed names no period from 0 to `last`, as a sentence; empty if it does, or if nothing was typed."""
    if not (text := (text or "").strip()) or 0 <= whole(text, -1) <= last:
        return ""
    return f"“{text[:20]}” is not a period of this run. Periods are whole numbers from 0 to {last:,}."


def typed(data: QueryDict, key: str) -> str:
    """A text as typed, without NUL, which PostgreSQL refuses."""
    return data.get(key, "").replace("\x00", "").strip()[:200]
