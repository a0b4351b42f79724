"""Database reads of saved leaderboards, always within one organization."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.leaderboard import LeaderboardLinks, member_links
from analysis.base.table import LeaderboardKind
from analysis.benchmark.leaderboard import BenchmarkLeaderboard
from analysis.models import Leaderboard
from analysis.saved.kinds import KINDS, AnyLeaderboard, Content, from_json
from analysis.saved.services import MOST_PINNED
from environments.registry import BENCHMARKS
from infrastructure.paging import LIST_PAGE
from runs.models import Run, RunState

ROWS_AT_HOME = 8
SORTS = {"name": "name", "kind": "kind", "made": "id"}


@dataclass(frozen=True)
class HomeLeaderboard:
    """The leaderboard of the home page: its first rows, and the number of further rows. saved: None for the default"""

    saved: Leaderboard | None
    leaderboard: AnyLeaderboard
    rows: list[Any]
    more: int


def leaderboard_or_404(*, organization: Organization, leaderboard_id: int) -> Leaderboard:
    rows = Leaderboard.objects.select_related("organization", "created_by")
    return get_object_or_404(rows, organization=organization, pk=leaderboard_id)


def saved_page(
    *, organization: Organization, text: str = "", kind: str = "", sort: str = "-made", page: str | None = None
) -> Page[Any]:
    """A page of (leaderboard, label of its kind, filters in words), filtered by text and kind, sorted by a key of SORTS."""
    rows = Leaderboard.objects.filter(organization=organization).select_related("created_by")
    if text:
        rows = rows.filter(name__icontains=text) | rows.filter(description__icontains=text)
    if kind in KINDS:
        rows = rows.filter(kind=kind)
    column = SORTS.get(sort.removeprefix("-"), "id")
    descending = sort.startswith("-") or sort not in SORTS
    paginator = Paginator(rows.order_by(f"-{column}" if descending else column, "-id"), LIST_PAGE)
    leaderboards: Page[Any] = paginator.get_page(page)
    leaderboards.object_list = [
        (row, KINDS[row.kind].label, ", ".join(from_json(row.kind, row.filters).describe()))
        for row in leaderboards.object_list
    ]
    return leaderboards


def pinned_leaderboards(*, organization: Organization) -> QuerySet[Leaderboard]:
    return Leaderboard.objects.filter(organization=organization, pin__isnull=False).order_by("pin", "id")


def home_leaderboard(*, organization: Organization) -> tuple[HomeLeaderboard, list[Leaderboard]]:
    """The first pinned leaderboard, else the default one; and the other pinned leaderboards. Only cells have links."""
    pinned = list(pinned_leaderboards(organization=organization)[:MOST_PINNED])
    first = pinned[0] if pinned else None
    kind = LeaderboardKind.BENCHMARK if first is None else first.kind
    run_filter: Any = _played(organization) if first is None else from_json(first.kind, first.filters)
    links = LeaderboardLinks(cell=member_links(run_filter).cell)
    content: Any = KINDS[kind].build_content(organization, run_filter, links)
    rows = list(content.rows)
    board = HomeLeaderboard(first, content, rows[:ROWS_AT_HOME], max(0, len(rows) - ROWS_AT_HOME))
    return board, pinned[1:]


def _played(organization: Organization) -> TableFilter:
    """The filter of the default leaderboard: all agents, without environments and difficulties that have no runs here."""
    runs = Run.objects.filter(organization=organization, instance__environment__in=BENCHMARKS, state=RunState.FINISHED)
    cells = set(runs.order_by().values_list("instance__environment", "instance__difficulty").distinct())
    environments, difficulties = ({cell[part] for cell in cells} for part in (0, 1))
    return TableFilter(
        environments=tuple(name for name in BENCHMARKS if name in environments) or BENCHMARKS,
        difficulties=tuple(name for name in DIFFICULTIES if name in difficulties) or DIFFICULTIES,
    )


def facts_of(saved: Leaderboard, content: Content) -> list[str]:
    """The filters in words, and for a benchmark also how much of it was played."""
    filter_texts = from_json(saved.kind, saved.filters).describe()
    facts = content.facts if isinstance(content, BenchmarkLeaderboard) else []
    return [*filter_texts, *(fact for fact in facts if fact not in filter_texts)]
