"""Leaderboard, the runs behind a cell, figures as JSON, files to keep."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response

from analysis import exports, published
from analysis.benchmark import BenchmarkTable, Column, Kind, benchmark_table, cell_summary
from analysis.figures.registry import run_figure as figure_of_run
from analysis.figures.strip import strip_figure
from analysis.filters import TableFilter, environment_title
from analysis.forms import FilterForm
from analysis.leaderboard import describe
from analysis.records import RunRecord
from analysis.selectors import (
    benchmark_runs,
    cell_runs,
    outcomes_of_run,
    played_lengths,
    run_records,
    run_with_instance,
    styles_of_agents,
)
from runs.models import Agent, Run

PAGE_SIZE = 100
FIGURES_VERSION = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted((Path(__file__).parent / "figures").glob("*.py")))
).hexdigest()[:12]
"""Changes with the code of the figures, so that no browser keeps one drawn by older code."""


def leaderboard(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET, played_lengths(organization=request.organization))
    table_filter = form.table_filter()
    records = _records(request, table_filter)
    board = describe(_table(table_filter, records), table_filter, records)
    response = render(request, "analysis/leaderboard.html", {"form": form, "filter": table_filter, "board": board})
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{table_filter.query()}".rstrip("?")
    return response


def cell(request: HttpRequest) -> HttpResponse:
    """The runs behind one cell of the table."""
    table_filter = _filter(request)
    column = Column(request.GET.get("environment", ""), request.GET.get("difficulty", ""))
    if column not in TableFilter(rows=()).columns:
        raise Http404("There is no such column.")
    agent = get_object_or_404(Agent, organization=request.organization, slug=request.GET.get("agent", ""))
    sort = request.GET.get("sort", "seed")
    runs = cell_runs(
        organization=request.organization, table_filter=table_filter, column=column, agent=agent, sort=sort
    )
    context = {
        "agent": agent,
        "column": column,
        "environment": environment_title(column.environment),
        "filter": table_filter,
        "sort": sort,
        "summary": cell_summary(run_records(runs)),
        "page": Paginator(runs, PAGE_SIZE).get_page(request.GET.get("page")),
    }
    return render(request, "analysis/cell.html", context)


def strip(request: HttpRequest) -> JsonResponse:
    """The figure below the table: scores of single runs by agent."""
    table_filter = _filter(request)
    records = _records(request, table_filter)
    order = [row.agent_id for row in _table(table_filter, records).rows if row.agent_id is not None]
    styles = styles_of_agents(organization=request.organization)
    shown = _of_chart(records, table_filter)
    return JsonResponse(strip_figure(shown, table_filter.difficulties, order, styles, _run_url))


def strip_csv(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    text = exports.runs_csv(_of_chart(_records(request, table_filter), table_filter))
    return _file(text, f"runs-{table_filter.chart_environment}.csv", "text/csv")


def table_csv(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    return _file(
        exports.table_csv(_table(table_filter, _records(request, table_filter))), "leaderboard.csv", "text/csv"
    )


def table_latex(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    table = _table(table_filter, _records(request, table_filter))
    return _file(exports.table_latex(table), "leaderboard.tex", "application/x-tex")


def run_figure(request: HttpRequest, run_id: int) -> HttpResponse:
    """The chart of a run, up to the last period played."""
    try:
        run = run_with_instance(organization=request.organization, run_id=run_id)
    except Run.DoesNotExist:
        raise Http404("There is no such run.") from None
    solved = run.instance.reference is not None
    etag = f'"{run.pk}.{run.periods_played}.{run.state}.{solved:d}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    colour = styles_of_agents(organization=request.organization)[run.agent_id].colour
    figure = figure_of_run(run.instance.as_problem(), outcomes_of_run(run), run.periods, colour)
    return JsonResponse(figure, headers={"ETag": etag, "Cache-Control": "private, no-cache"})


def _filter(request: HttpRequest) -> TableFilter:
    return FilterForm(request.GET, played_lengths(organization=request.organization)).table_filter()


def _records(request: HttpRequest, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=request.organization, table_filter=table_filter))


def _table(table_filter: TableFilter, records: list[RunRecord]) -> BenchmarkTable:
    shown = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    scores = published.benchmark_scores() if shown else ()
    return benchmark_table(records, scores, table_filter.columns, table_filter.sort)


def _of_chart(records: list[RunRecord], table_filter: TableFilter) -> list[RunRecord]:
    return [record for record in records if record.environment == table_filter.chart_environment]


def _run_url(run_id: int) -> str:
    return reverse("runs:run", args=[run_id])


def _file(text: str, name: str, content_type: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(
        text, content_type=f"{content_type}; charset=utf-8", headers={"Content-Disposition": disposition}
    )
