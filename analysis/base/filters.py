"""Filters of a leaderboard as one frozen value, and as a query string."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import ClassVar
from urllib.parse import urlencode

from analysis.base.table import AGENT, SHOWN
from analysis.models import BoardKind


@dataclass(frozen=True)
class BoardFilter:
    """The filters of both kinds of leaderboards. A table has one generator only, because scores of two do not compare.

    agents: slugs of agents and baselines; () means all
    tag: id of a tag of runs or of their experiments
    CHIPS, MORE: fields shown as chips, and fields in the fold for rarely changed ones
    SORTS: keys of the columns; a minus before a key means descending
    """

    kind: ClassVar[BoardKind]
    CHIPS: ClassVar[tuple[str, ...]]
    MORE: ClassVar[tuple[str, ...]]
    SORTS: ClassVar[tuple[str, ...]]

    rows: tuple[str, ...] = SHOWN
    generator: str = "published"
    start: date | None = None
    end: date | None = None
    tag: int | None = None
    agents: tuple[str, ...] = ()
    sort: str = AGENT

    @property
    def has_more(self) -> bool:
        """Whether a rarely changed filter differs from its default."""
        folded = (*self.MORE, "agents")
        return any(getattr(self, part.name) != part.default for part in fields(self) if part.name in folded)

    def query(self, base: BoardFilter | None = None, **changes: object) -> str:
        """The query string of this filter with changes. Values equal to the default, or to `base`, are left out."""
        values = {part.name: changes.pop(part.name, getattr(self, part.name)) for part in fields(self)}
        usual = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        kept = {name: value for name, value in values.items() if value != usual[name] and value not in (None, "")}
        return urlencode(kept | changes, doseq=True)
