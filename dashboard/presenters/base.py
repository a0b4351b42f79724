"""Building blocks of presenters: figures, tables, chips and heat maps that shared templates render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

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


class Presenter(Protocol):
    """What the run page needs from an environment; one implementation per module in this package.

    plane_title: title of a second chart; empty if there is none
    """

    chart_title: str
    plane_title: str

    def facts(self, run: Run) -> list[str]:
        """A few words for the line under the title."""

    def figures(self, run: Run) -> list[Figure]:
        """Its two key figures; `run.metrics` is None until the run has ended."""

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]: ...

    def hidden(self, instance: Instance) -> list[Section]: ...

    def jumps(self, qualities: list[Quality]) -> list[Jump]: ...


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


@dataclass(frozen=True)
class Raw:
    """Keys and values as they are, for environments without a presenter of their own."""

    title: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Section:
        rows = tuple((Cell(str(key)), Cell(str(value)[:400])) for key, value in self.values.items())
        return Section(self.title, table=Table((Column("Name", False), Column("Value", False)), rows))
