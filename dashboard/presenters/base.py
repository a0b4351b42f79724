"""Building blocks of presenters: figures, tables, chips and heat maps that shared templates render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runs.models import Instance, Period, Run


@dataclass(frozen=True)
class Figure:
    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """tone: 'good', 'warn', 'bad' or 'soft'"""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class Column:
    label: str
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    foot: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Chip:
    text: str
    is_new: bool = False
    title: str = ""


@dataclass(frozen=True)
class HeatMap:
    """Ranks as a square: rows and columns by name, values from 0 (best, darkest) up to `size` - 1."""

    caption: str
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Section:
    """Part of a page. Every field is optional; each problem gets a line of its own."""

    title: str
    sentence: str = ""
    problems: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    table: Table | None = None
    chips: tuple[Chip, ...] = ()
    heat: tuple[HeatMap, ...] = ()


@dataclass(frozen=True)
class Jump:
    """A period that the “Jump to” menu offers."""

    label: str
    index: int


@dataclass(frozen=True)
class Quality:
    """A period reduced to its number and its share of the best possible result."""

    index: int
    value: float | None


def metrics_of(run: Run) -> Mapping[str, Any]:
    return run.metrics or {}


def common_jumps(qualities: list[Quality]) -> list[Jump]:
    """Best, first optimal, worst, first and last period; the earliest of equals."""
    known = [quality for quality in qualities if quality.value is not None]
    jumps = []
    if known:
        best = max(known, key=lambda quality: (quality.value or 0.0, -quality.index))
        jumps.append(Jump("Best", best.index))
        optimal = next((q.index for q in known if q.value is not None and q.value >= 1 - 1e-9), None)
        if optimal is not None:
            jumps.append(Jump("First optimal", optimal))
        worst = min(known, key=lambda quality: (quality.value or 0.0, quality.index))
        jumps.append(Jump("Worst", worst.index))
    if qualities:
        jumps += [Jump("First", qualities[0].index), Jump("Last", qualities[-1].index)]
    return jumps


class Presenter:
    """What the run page shows of an environment. Subclasses in this package replace the stored values shown here.

    plane_title: title of a second chart; empty if there is none
    """

    chart_title = "By period"
    plane_title = ""

    def facts(self, run: Run) -> list[str]:
        """A few words for the line under the title."""
        return []

    def figures(self, run: Run) -> list[Figure]:
        """The two key figures; `run.metrics` is None until the run has ended."""
        last = "–" if run.last_quality is None else f"{run.last_quality * 100:.1f}"
        return [Figure("Last period", last, "points"), Figure("Periods", str(run.periods_played), f"of {run.periods}")]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]:
        return [_stored("Action", period.action), _stored("Result", period.result)]

    def hidden(self, instance: Instance) -> list[Section]:
        return [_stored("Hidden", instance.hidden), _stored("Reference", instance.reference or {})]

    def jumps(self, qualities: list[Quality]) -> list[Jump]:
        return common_jumps(qualities)


def _stored(title: str, values: Mapping[str, Any]) -> Section:
    rows = tuple((Cell(str(key)), Cell(str(value)[:400])) for key, value in values.items())
    return Section(title, table=Table((Column("Name", False), Column("Value", False)), rows))
