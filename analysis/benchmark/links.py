"""Where a table and its figures lead to: the same on its own page, on a saved one and on a shared one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from analysis.benchmark.filters import TableFilter
from analysis.benchmark.page import SHOWN, Column, Row
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus.filters import LitmusFilter
from environments.base import PERIODS


def nowhere(*_: object, **__: object) -> str:
    return ""


@dataclass(frozen=True)
class BoardLinks:
    """Addresses; an empty one is no link.

    query: the page's own query with changes to what it sorts by and draws
    figure: the data of a figure by its name, see analysis.board_figures
    cell: the runs behind a cell of the benchmark table
    figure_csv: the data of its chart as a file
    sorts: whether headings and charts can be chosen
    launch: whether the page may ask its reader to launch something
    """

    query: Callable[..., str] = nowhere
    figure: Callable[[str], str] = nowhere
    cell: Callable[[Row, Column], str] = nowhere
    figure_csv: str = ""
    sorts: bool = False
    launch: bool = False

    @property
    def figures(self) -> dict[str, str]:
        """The litmus page's charts by name."""
        return {name: self.figure(name) for name in LITMUS_CHARTS}


NO_LINKS = BoardLinks()


def benchmark_links(table_filter: TableFilter, base: TableFilter | None = None) -> BoardLinks:
    """Of members' pages; `base` is the filter of a saved leaderboard."""

    def cell(row: Row, column: Column) -> str:
        return f"{reverse('analysis:cell')}?{cell_query(row.agent_slug, column, table_filter)}"

    whole = table_filter.query()
    return BoardLinks(
        query=lambda **changes: table_filter.query(base, **changes),
        figure=lambda name: f"{reverse('analysis:strip')}?{whole}",
        cell=cell,
        figure_csv=f"{reverse('analysis:strip-csv')}?{whole}",
        sorts=True,
        launch=True,
    )


def litmus_links(litmus_filter: LitmusFilter, base: LitmusFilter | None = None) -> BoardLinks:
    whole = litmus_filter.query()
    return BoardLinks(
        query=lambda **changes: litmus_filter.query(base, **changes),
        figure=lambda name: f"{reverse(f'analysis:litmus-{name}')}?{whole}",
        sorts=True,
        launch=True,
    )


def cell_query(agent_slug: str, column: Column, table_filter: TableFilter) -> str:
    own = {"agent": agent_slug, "environment": column.environment, "difficulty": column.difficulty}
    kept = {"generator": table_filter.generator, "variant": table_filter.variant}
    dates = {"start": table_filter.start, "end": table_filter.end}
    periods = {} if table_filter.periods == PERIODS else {"periods": table_filter.periods}
    tag = {"tag": table_filter.tag} if table_filter.tag else {}
    rows = {} if table_filter.rows == SHOWN else {"rows": table_filter.rows}
    days = {name: day for name, day in dates.items() if day}
    return urlencode(own | kept | rows | periods | tag | days, doseq=True)
