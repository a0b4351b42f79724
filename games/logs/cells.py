"""A row of a log with typed access to its cells."""

import math
from dataclasses import dataclass
from typing import Any

from infrastructure.text.literals import NotALiteral, parse_literal


class LogRefused(ValueError):
    """Raised if something cannot be imported. The message names the file and, if known, the line."""


@dataclass(frozen=True)
class Cells:
    """One row. Each access returns a value of the requested type, or raises LogRefused with file, line and column."""

    file: str
    line: int
    values: dict[str, str]

    def location(self, name: str) -> str:
        return f"{self.file}, line {self.line}: {name}"

    def refuse(self, wrong: str) -> LogRefused:
        return LogRefused(f"{self.location(wrong)}.")

    def has(self, name: str) -> bool:
        return bool(self.values.get(name, "").strip())

    def text(self, name: str) -> str:
        if not self.has(name):
            raise self.refuse(f"{name} is empty or missing")
        return self.values[name].strip()

    def number(self, name: str) -> float:
        text = self.text(name)
        try:
            value = float(text) if len(text) <= 64 else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.refuse(f"{name} must be a finite number, but it is {text[:40]!r}")
        return value

    def whole(self, name: str, most: int = 2**32 - 1) -> int:
        value = self.number(name)
        if not value.is_integer() or not 0 <= value <= most:
            raise self.refuse(f"{name} must be a whole number from 0 to {most:,}, but it is {self.text(name)[:40]!r}")
        return int(value)

    def literal(self, name: str, kind: type) -> Any:
        """Read a list or a dictionary in Python's notation."""
        try:
            value = parse_literal(self.text(name))
        except NotALiteral as error:
            raise self.refuse(f"{name} is not a value in Python's notation: {error}") from None
        if not isinstance(value, kind):
            raise self.refuse(f"{name} must be a {'list' if kind is list else 'dictionary'}")
        return value

    def read(self, name: str, kind: type) -> Any:
        """Read a value of type `kind`: a number (float), a list, a dictionary or a text (str)."""
        if kind is str:
            return self.text(name)
        return self.number(name) if kind is float else self.literal(name, kind)
