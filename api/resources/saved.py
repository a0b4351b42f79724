"""Saved leaderboards with their current tables."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from analysis.benchmark.filters import TableFilter
from analysis.boards import benchmark_records, litmus_rows, records_of, table_of
from analysis.litmus.filters import LitmusFilter
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import from_json
from analysis.saved.selectors import leaderboard_or_404
from api.auth import READ, ApiRequest
from api.protocol.operations import USUAL_LIMIT, Cursor, Id, Limit, answers, resource
from api.protocol.paging import page_of, window
from api.schemas.base import Out, Page
from api.schemas.leaderboards import BenchmarkOut, LitmusOut

router = resource("Leaderboards")


class SavedOut(Out):
    id: int
    kind: Annotated[str, Field(json_schema_extra={"enum": BoardKind.values})]
    name: str
    description: str
    is_pinned: bool
    """Whether it stands on the organization's home page."""
    filters: dict[str, Any]
    """As the operation of its kind reads them; what is left out is as by default there."""
    created_at: datetime
    changed_at: datetime


class SavedWithRows(SavedOut):
    benchmark: BenchmarkOut | None
    """The table of a benchmark leaderboard; null of the other kind."""
    litmus: LitmusOut | None


@router.get(
    "/leaderboards", auth=READ, response=answers(Page[SavedOut], of_one=False), summary="List saved leaderboards"
)
def list_leaderboards(request: ApiRequest, limit: Limit = USUAL_LIMIT, cursor: Cursor = None) -> Any:
    """The newest first. Tables with filters of your own are at `/leaderboards/benchmark` and `/leaderboards/litmus`."""
    rows = Leaderboard.objects.filter(organization=request.auth.organization)
    return page_of(
        rows, window(request, limit, cursor), lambda found: [SavedOut.from_row(row) for row in found], newest=True
    )


@router.get(
    "/leaderboards/{int:leaderboard_id}", auth=READ, response=answers(SavedWithRows), summary="Get a saved leaderboard"
)
def get_leaderboard(request: ApiRequest, leaderboard_id: Id) -> Any:
    """With its table as it is now."""
    organization = request.auth.organization
    saved = leaderboard_or_404(organization=organization, board_id=leaderboard_id)
    chosen = from_json(saved.kind, saved.filters)
    tables: dict[str, Any] = {"benchmark": None, "litmus": None}
    if isinstance(chosen, TableFilter):
        records = benchmark_records(organization=organization, table_filter=chosen)
        tables["benchmark"] = BenchmarkOut.values(table_of(chosen, records))
    elif isinstance(chosen, LitmusFilter):
        found = records_of(organization=organization, litmus_filter=chosen)
        tables["litmus"] = LitmusOut.values(litmus_rows(found, chosen))
    return SavedOut.from_row(saved) | tables
