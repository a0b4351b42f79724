"""Parts of a table as a page shows it: sortable headings and rows of cells."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis.base.table import AGENT, Kind, TableRow
from analysis.links import BoardLinks

OWN_DESIGN = "own design, not the paper's"

RowType = TypeVar("RowType", bound=TableRow, covariant=True)
CellType = TypeVar("CellType")


@dataclass(frozen=True)
class Heading:
    """A column heading.

    query: the query string that sorts by this column, or reverses the order if it does already
    direction: the value of aria-sort
    first: whether the column starts a group
    note: a few words below the label
    """

    label: str
    query: str
    direction: str = ""
    first: bool = False
    note: str = ""

    @property
    def css(self) -> str:
        return "num first" if self.first else "num"


def heading(key: str, label: str, sort: str, links: BoardLinks, *, first: bool = False, note: str = "") -> Heading:
    """Names sort ascending at first, scores descending."""
    preferred, other = (key, f"-{key}") if key == AGENT else (f"-{key}", key)
    direction = {key: "ascending", f"-{key}": "descending"}.get(sort, "")
    return Heading(label, links.query(sort=other if sort == preferred else preferred), direction, first, note)


@dataclass(frozen=True)
class BoardRow(Generic[RowType, CellType]):
    """missing: how many cells have no mean
    can_be_compared: whether the row is one agent with a finished run; a market of two agents is not one agent
    """

    row: RowType
    cells: list[CellType]
    missing: int = 0
    can_be_compared: bool = False

    @property
    def is_own(self) -> bool:
        return self.row.kind == Kind.OWN
