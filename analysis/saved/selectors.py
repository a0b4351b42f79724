"""Reads of saved leaderboards, always of one organization."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property

from accounts.models import Organization
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.leaderboard import Board
from analysis.benchmark.links import NO_LINKS, BoardLinks, benchmark_links, litmus_links
from analysis.boards import benchmark_board, litmus_board, litmus_page
from analysis.hidden import Hidden, hidden_of_litmus, hidden_of_table
from analysis.litmus.board import LitmusBoard
from analysis.litmus.page import LitmusPage
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import AnyFilter, in_words, thaw
from analysis.saved.services import MOST_PINNED

PAGE_SIZE = 25
ROWS_PINNED = 8
SORTS = {"name": "name", "kind": "kind", "made": "id"}


@dataclass(frozen=True)
class SavedRow:
    leaderboard: Leaderboard

    @property
    def words(self) -> str:
        return ", ".join(in_words(self.leaderboard.kind, self.leaderboard.filters))


@dataclass(frozen=True)
class SavedBoard:
    """What a leaderboard shows now. `page` is what stands beside a litmus table, None of a benchmark."""

    filter: AnyFilter
    board: Board | LitmusBoard
    page: LitmusPage | None = None

    @property
    def is_litmus(self) -> bool:
        return isinstance(self.board, LitmusBoard)


@dataclass(frozen=True)
class PinnedBoard:
    """A leaderboard on the home page: its first rows, and how many more there are."""

    leaderboard: Leaderboard
    board: Board | LitmusBoard

    @cached_property
    def rows(self) -> list:
        return list(self.board.rows[:ROWS_PINNED])

    @property
    def more(self) -> int:
        return len(self.board.rows) - len(self.rows)


def leaderboard_or_404(*, organization: Organization, board_id: int) -> Leaderboard:
    rows = Leaderboard.objects.select_related("organization", "created_by")
    return get_object_or_404(rows, organization=organization, pk=board_id)


def saved_page(
    *, organization: Organization, text: str = "", kind: str = "", sort: str = "-made", page: object = 1
) -> Page:
    """A page of SavedRow, filtered by name or description and kind, sorted by a key of SORTS."""
    rows = Leaderboard.objects.filter(organization=organization).select_related("created_by")
    if text:
        rows = rows.filter(name__icontains=text) | rows.filter(description__icontains=text)
    if kind in BoardKind.values:
        rows = rows.filter(kind=kind)
    column = SORTS.get(sort.removeprefix("-"), "id")
    descending = sort.startswith("-") or sort not in SORTS
    found = Paginator(rows.order_by(f"-{column}" if descending else column, "-id"), PAGE_SIZE).get_page(page)
    found.object_list = [SavedRow(row) for row in found.object_list]
    return found


def pinned_leaderboards(*, organization: Organization) -> QuerySet[Leaderboard]:
    return Leaderboard.objects.filter(organization=organization, pin__isnull=False).order_by("pin", "id")


def pinned_boards(*, organization: Organization) -> list[PinnedBoard]:
    """One query for the list and one for each of them, of which there are at most six."""
    boards = []
    for row in pinned_leaderboards(organization=organization)[:MOST_PINNED]:
        chosen = thaw(row.kind, row.filters)
        if isinstance(chosen, TableFilter):
            links = BoardLinks(cell=benchmark_links(chosen).cell)
            board = benchmark_board(organization=organization, table_filter=chosen, links=links)
        else:
            board = litmus_board(organization=organization, litmus_filter=chosen, links=NO_LINKS)
        boards.append(PinnedBoard(row, board))
    return boards


def links_of(chosen: AnyFilter, base: AnyFilter) -> BoardLinks:
    """What a saved leaderboard leads to on its own page."""
    return benchmark_links(chosen, base) if isinstance(chosen, TableFilter) else litmus_links(chosen, base)


def facts_of(leaderboard: Leaderboard, shown: SavedBoard) -> list[str]:
    """What it shows in a few words each, and of a benchmark how much of it was played."""
    words = in_words(leaderboard.kind, leaderboard.filters)
    if isinstance(shown.board, LitmusBoard):
        return words
    return [*words, *(fact for fact in shown.board.facts if fact not in words)]


def hidden_of(*, organization: Organization, chosen: AnyFilter) -> Hidden:
    """What a saved leaderboard's filters leave out, with links to the page whose filters can be changed. For members only:
    a visitor is told of nothing that he is not shown.
    """
    if isinstance(chosen, TableFilter):
        address = reverse("analysis:leaderboard")
        return hidden_of_table(organization=organization, table_filter=chosen, address=address)
    return hidden_of_litmus(organization=organization, litmus_filter=chosen, address=reverse("analysis:litmus"))


def saved_board(*, organization: Organization, chosen: AnyFilter, links: BoardLinks) -> SavedBoard:
    """Table and figures of a filter: the same for members and for those who come by a link."""
    if isinstance(chosen, TableFilter):
        return SavedBoard(chosen, benchmark_board(organization=organization, table_filter=chosen, links=links))
    board, page = litmus_page(organization=organization, litmus_filter=chosen, links=links)
    return SavedBoard(chosen, board, page)
