"""Finished runs that a filter hides, in groups by reason. Pure functions."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from games.registry import LITMUS_CHARTS
from infrastructure.text.formats import counted


@dataclass(frozen=True)
class HiddenGroup:
    """Runs hidden for the same reasons. `changes` are filter values that show them, `query` the query string, or None."""

    runs: int
    reasons: str
    changes: dict[str, Any] | None
    query: str | None

    @property
    def text(self) -> str:
        return f"{self.runs:,} {self.reasons}"


@dataclass(frozen=True)
class Hidden:
    """The hidden runs of a page.

    groups: groups of hidden runs, the largest first
    counts: number of hidden runs by environment and variant
    address: the page that can show them
    """

    groups: list[HiddenGroup]
    counts: Counter[tuple[str, str]]
    address: str = ""

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def largest(self) -> HiddenGroup | None:
        return self.groups[0] if self.groups else None

    @property
    def others(self) -> int:
        return self.total - (self.largest.runs if self.largest else 0)

    @property
    def ending(self) -> str:
        return f", {self.others:,} for other reasons." if self.others else "."

    @property
    def sentence(self) -> str:
        """The number of hidden runs, and the reason of the largest group; empty if none are hidden."""
        if self.largest is None:
            return ""
        return f"{counted(self.total, 'finished run is,finished runs are')} hidden: {self.largest.text}{self.ending}"

    @property
    def charts(self) -> dict[str, int]:
        """The number of hidden runs of each chart of the litmus page."""
        return {chart: self.counts[key] for chart, key in LITMUS_CHARTS.items()}
