"""Parts of a table as a page shows it: sortable headings, rows of cells, and the addresses of its links."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, quote_plus, urlencode

from django.urls import reverse

from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import LeaderboardFilter
from analysis.base.table import AGENT, DEFAULT_ROWS, BenchmarkColumn, Kind, TableRow
from environments.base import PERIODS
from games.registry import LITMUS_CHARTS


def nowhere(*_: object, **__: object) -> str:
    return ""


@dataclass(frozen=True)
class LeaderboardLinks:
    """The addresses that a table and its figures link to. An empty address means no link.

    query: the page's own query string with another sort key or chart
    figure: data of a figure by its name, see analysis.answers
    cell: the runs behind a cell of the benchmark table
    figure_csv: data of the benchmark chart as a file
    sorts: whether headings and charts can be chosen
    launch: whether the page may suggest a launch
    agents: whether names lead to the pages of the agents
    compare: address of the comparison of ticked agents; empty if there is none
    compare_fields: names and values of the fields that the comparison takes over
    """

    query: Callable[..., str] = nowhere
    figure: Callable[[str], str] = nowhere
    cell: Callable[..., str] = nowhere
    figure_csv: str = ""
    sorts: bool = False
    launch: bool = False
    agents: bool = False
    compare: str = ""
    compare_fields: Sequence[tuple[str, str]] = ()

    @property
    def figures(self) -> dict[str, str]:
        """The litmus page's charts by name, with underscores for templates."""
        return {name.replace("-", "_"): self.figure(name) for name in LITMUS_CHARTS}


NO_LINKS = LeaderboardLinks()


def member_links(run_filter: LeaderboardFilter, base: LeaderboardFilter | None = None) -> LeaderboardLinks:
    """Links of a page for members; `base` is the filter of a saved leaderboard."""
    whole = run_filter.query()
    links: dict[str, Any] = {
        "figure": lambda name: f"{reverse(f'analysis:figure-{name}')}?{whole}",
        "compare": reverse("analysis:compare-litmus"),
        "compare_fields": parse_qsl(run_filter.query(agents=(), rows=DEFAULT_ROWS, sort=AGENT)),
    }
    if isinstance(run_filter, TableFilter):
        of_chart = run_filter.query(environments=(run_filter.chart_environment,), chart="")
        cells, conditions = reverse("analysis:cell"), conditions_query(run_filter)
        links |= {
            "cell": lambda row, column: f"{cells}?{cell_query(row.agent_slug, column, conditions)}",
            "figure_csv": f"{reverse('analysis:runs-csv')}?{of_chart}",
            "compare": reverse("analysis:compare"),
            "compare_fields": parse_qsl(
                run_filter.query(agents=(), rows=DEFAULT_ROWS, sort=TableFilter.default("sort"), chart="")
            ),
        }
    return LeaderboardLinks(
        query=lambda **changes: run_filter.query(base, **changes), sorts=True, launch=True, agents=True, **links
    )


def cell_query(agent_slug: str, column: BenchmarkColumn, conditions: str) -> str:
    """The query string of the list of runs behind one cell. conditions: result of `conditions_query`"""
    cell = f"environment={column.environment}&difficulty={quote_plus(column.difficulty)}"
    return f"agent={quote_plus(agent_slug)}&{cell}&{conditions}"


def conditions_query(table_filter: TableFilter) -> str:
    """The part of the query string that all cells of a table share, computed once for speed."""
    defaults = {"rows": DEFAULT_ROWS, "periods": PERIODS, "tag": None, "start": None, "end": None, "mixed": 0}
    changed = {
        name: getattr(table_filter, name) for name, value in defaults.items() if getattr(table_filter, name) != value
    }
    return urlencode({"generator": table_filter.generator, "variant": table_filter.variant} | changed, doseq=True)


OWN_DESIGN = "own design, not the paper's"

RowType = TypeVar("RowType", bound=TableRow, covariant=True)
CellType = TypeVar("CellType")


@dataclass(frozen=True)
class Heading:
    """A column heading.

    query: the query string that sorts by this column, or reverses the order if the table is sorted by it
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


def heading(
    key: str, label: str, sort: str, links: LeaderboardLinks, *, first: bool = False, note: str = ""
) -> Heading:
    """A heading that sorts by `key`. The first click sorts names ascending and scores descending."""
    preferred, other = (key, f"-{key}") if key == AGENT else (f"-{key}", key)
    direction = {key: "ascending", f"-{key}": "descending"}.get(sort, "")
    return Heading(label, links.query(sort=other if sort == preferred else preferred), direction, first, note)


@dataclass(frozen=True)
class LeaderboardRow(Generic[RowType, CellType]):
    """A row of a table as a page shows it.

    missing: how many cells have no mean
    group: heading of the group of rows to which it belongs, and a remark on it; empty if the table has one group
    can_be_compared: whether the row is one agent with a finished run; a market of two agents is not one agent
    """

    row: RowType
    cells: list[CellType]
    missing: int = 0
    group: tuple[str, str] = ("", "")
    can_be_compared: bool = False

    @property
    def is_own(self) -> bool:
        return self.row.kind == Kind.OWN


@dataclass(frozen=True)
class Leaderboard(Generic[RowType, CellType]):
    """A table as a page shows it. notes: remarks on what the numbers rest on"""

    agent_heading: Heading
    headings: list[Heading]
    rows: list[LeaderboardRow[RowType, CellType]]
    notes: list[str]
    links: LeaderboardLinks
