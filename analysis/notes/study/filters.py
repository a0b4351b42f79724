"""What an analysis reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any
from urllib.parse import urlencode

from runs.selectors.cells import environment_title


@dataclass(frozen=True)
class StudyFilter:
    """Empty tuples and None do not filter. agents: slugs; start, end: days of the launch of runs

    balanced: as many paragraphs of each agent
    """

    environment: str = ""
    difficulties: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    start: date | None = None
    end: date | None = None
    balanced: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
            if value not in (None, "", (), False)
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> StudyFilter:
        field_names = {field.name for field in fields(cls)}
        values: dict[str, Any] = {name: value for name, value in stored.items() if name in field_names}
        for name in ("difficulties", "agents"):
            values[name] = tuple(values.get(name, ()))
        for name in ("start", "end"):
            values[name] = date.fromisoformat(values[name]) if values.get(name) else None
        return cls(**values)

    @property
    def query(self) -> str:
        """As a query string."""
        return urlencode(self.as_json(), doseq=True)

    @property
    def title(self) -> str:
        parts = [environment_title(self.environment), *self.difficulties]
        return f"{' '.join(parts)}{', balanced' if self.balanced else ''}"

    @property
    def describe(self) -> list[str]:
        parts = [environment_title(self.environment), ", ".join(self.difficulties) or "every difficulty"]
        parts.append(", ".join(self.agents) if self.agents else "every agent")
        if self.start or self.end:
            parts.append(
                f"launched {f'from {self.start} ' if self.start else ''}{f'to {self.end}' if self.end else ''}".strip()
            )
        if self.balanced:
            parts.append("as many paragraphs of each agent")
        return parts
