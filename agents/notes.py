"""The notes of an agent, and the two tools that write and read them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from environments.base import ToolError

WRITE, READ = "write_notes", "read_notes"
MAX_CHARACTERS = 256 * 1024


@dataclass
class Notes:
    """The notes of one seat by period, in the order in which they were written."""

    by_period: dict[int, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, written: Iterable[tuple[int, str]]) -> Self:
        notes = cls()
        for period, text in written:
            notes.by_period.setdefault(period, []).append(text)
        return notes

    def write(self, period: int, arguments: dict[str, Any]) -> str:
        text = arguments.get("notes")
        if not isinstance(text, str):
            raise ToolError("write_notes needs one argument called notes, which must be a string.")
        if len(text) > MAX_CHARACTERS:
            most = f"at most {MAX_CHARACTERS:,} fit in one call"
            raise ToolError(f"Notes of {len(text):,} characters are too long; {most}.")
        self.by_period.setdefault(period, []).append(storable(text))
        return "Successfully wrote notes."

    def read(self, current: int, arguments: dict[str, Any], argument: str) -> list[str]:
        """The notes of one period, which may be the current one. `argument` is the name of the tool's parameter."""
        period = whole_number(arguments.get(argument))
        if period is None:
            raise ToolError(f"read_notes needs one argument called {argument}, which must be a whole number.")
        if not 0 <= period <= current:
            there = "0" if current == 0 else f"0 to {current}"
            raise ToolError(f"There are no notes numbered {period}; you can read those of {there}.")
        return self.by_period.get(period, [])


def joined(written: Iterable[str]) -> str:
    """The notes of a period as they are read."""
    return "\n".join(written) or "No notes were written."


def whole_number(value: object) -> int | None:
    """The whole number that a model passed, also as text or as a float; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def storable(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD, because PostgreSQL or UTF-8 refuse them."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
