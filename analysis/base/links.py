"""Addresses that a table and its figures link to. They differ between own, saved and shared pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from analysis.base.filters import BoardFilter
from analysis.figures.registry import LITMUS_CHARTS


def nowhere(*_: object, **__: object) -> str:
    return ""


@dataclass(frozen=True)
class BoardLinks:
    """Addresses; an empty address means no link.

    query: the page's own query string with another sort key or chart
    figure: data of a figure by its name, see analysis.board_figures
    cell: the runs behind a cell of the benchmark table
    figure_csv: data of the benchmark chart as a file
    sorts: whether headings and charts can be chosen
    launch: whether the page may suggest a launch
    """

    query: Callable[..., str] = nowhere
    figure: Callable[[str], str] = nowhere
    cell: Callable[..., str] = nowhere
    figure_csv: str = ""
    sorts: bool = False
    launch: bool = False

    @property
    def figures(self) -> dict[str, str]:
        """The litmus page's charts by name."""
        return {name: self.figure(name) for name in LITMUS_CHARTS}


NO_LINKS = BoardLinks()


def page_links(chosen: BoardFilter, base: BoardFilter | None, **links: Any) -> BoardLinks:
    """Links of a page for members; `base` is the filter of a saved leaderboard."""
    return BoardLinks(query=lambda **changes: chosen.query(base, **changes), sorts=True, launch=True, **links)
