"""Filters of a leaderboard as one frozen value, and as a query string."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import ClassVar
from urllib.parse import urlencode

from analysis.base.table import AGENT, DEFAULT_ROWS, Kind
from analysis.models import BoardKind
from environments.generation import GENERATOR_LABELS
from infrastructure.text.formats import counted, span

ROW_LABELS = {
    Kind.OWN: "Our runs",
    Kind.BASELINE: "Baselines",
    Kind.OUTSIDE: "Outside agents",
    Kind.HUMAN: "People",
    Kind.IMPORTED: "Imported",
    Kind.PUBLISHED: "Published",
}

MIXED = {0: "Played otherwise: left out", 1: "Played otherwise: pooled"}

FilterPhrase = tuple[str, tuple[str, ...]]
"""A filter in words, and the fields that it is made of."""


@dataclass(frozen=True)
class BoardFilter:
    """The filters of both kinds of leaderboards. A table has one generator only, because scores of two do not compare.

    agents: slugs of agents and baselines; () means all
    tag: id of a tag of runs or of their experiments
    mixed: 1 to pool runs of one agent that were played under different conditions, see analysis.base.conditions
    PAGE: name of the URL where all filters can be changed
    CHIPS, MORE: fields shown as chips, and fields in the fold for rarely changed ones
    SORTS: keys of the columns; a minus before a key means descending
    KINDS: sources that can be shown; runs of others are not said to be hidden
    OF_NAMED_AGENTS: whether only `agents` are asked about, so that runs of others are not said to be hidden
    """

    kind: ClassVar[BoardKind]
    PAGE: ClassVar[str]
    CHIPS: ClassVar[tuple[str, ...]]
    MORE: ClassVar[tuple[str, ...]]
    SORTS: ClassVar[tuple[str, ...]]
    KINDS: ClassVar[tuple[str, ...]] = tuple(Kind)
    OF_NAMED_AGENTS: ClassVar[bool] = False

    rows: tuple[str, ...] = DEFAULT_ROWS
    generator: str = "published"
    start: date | None = None
    end: date | None = None
    tag: int | None = None
    mixed: int = 0
    agents: tuple[str, ...] = ()
    sort: str = AGENT

    @property
    def has_more(self) -> bool:
        """Whether a rarely changed filter differs from its default."""
        folded = {*self.MORE, "agents"} - {*self.CHIPS}
        return any(getattr(self, part.name) != part.default for part in fields(self) if part.name in folded)

    def query(self, base: BoardFilter | None = None, **changes: object) -> str:
        """The query string of this filter with changes. Values equal to the default, or to `base`, are left out."""
        values = {part.name: changes.pop(part.name, getattr(self, part.name)) for part in fields(self)}
        defaults = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        changed = {name: value for name, value in values.items() if value != defaults[name] and value not in (None, "")}
        return urlencode(changed | changes, doseq=True)

    def phrases(self) -> list[FilterPhrase]:
        """The filters in a few words each, with their fields. Most defaults are not mentioned."""
        phrases: list[FilterPhrase] = []
        if self.generator != "published":
            phrases.append((f"generator {GENERATOR_LABELS[self.generator]}", ("generator",)))
        if self.rows != type(self).rows:
            phrases.append(
                (", ".join(label.lower() for row, label in ROW_LABELS.items() if row in self.rows), ("rows",))
            )
        if self.tag:
            phrases.append(("one tag", ("tag",)))
        if self.mixed:
            phrases.append((MIXED[1].lower(), ("mixed",)))
        if self.agents:
            phrases.append((f"{counted(len(self.agents), 'agent,agents')} chosen", ("agents",)))
        if days := [day for day in (self.start, self.end) if day]:
            side = "launched" if len(days) == 2 else "from" if self.start else "to"
            phrases.append((f"{side} {span(days, '{0.day} {0:%b %Y}'.format)}", ("start", "end")))
        return phrases

    def describe(self) -> list[str]:
        return [text for text, _ in self.phrases()]

    def removable(self, base: BoardFilter | None = None) -> list[tuple[str, str]]:
        """(text, query string without it) of every filter that differs from its default, or from `base`."""
        defaults = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        return [
            (text, self.query(base, **{name: defaults[name] for name in names}))
            for text, names in self.phrases()
            if any(getattr(self, name) != defaults[name] for name in names)
        ]
