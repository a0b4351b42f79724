"""Leaderboard, the runs behind a cell, its figure as JSON, files to keep."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from analysis import exports, published
from analysis.benchmark import BenchmarkTable, Column, Kind, benchmark_table, cell_summary
from analysis.figures.strip import strip_figure
from analysis.filters import TableFilter, environment_title
from analysis.forms import FilterForm, offer_tags
from analysis.leaderboard import describe
from analysis.records import RunRecord
from analysis.selectors import (
    benchmark_runs,
    cell_runs,
    played_lengths,
    run_records,
    styles_of_agents,
)
from analysis.views.answers import file, run_url
from runs.models import Agent
from runs.selectors.tags import offered_tags

PAGE_SIZE = 100


def leaderboard(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET, played_lengths(organization=request.organization))
    table_filter = form.table_filter()
    records = _records(request, table_filter)
    board = describe(_table(table_filter, records), table_filter, records)
    tagged = offer_tags(form, offered_tags(request.organization))
    context = {"form": form, "filter": table_filter, "board": board, "tagged": tagged}
    response = render(request, "analysis/leaderboard.html", context)
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
    return JsonResponse(strip_figure(shown, table_filter.difficulties, order, styles, run_url))


def strip_csv(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    text = exports.runs_csv(_of_chart(_records(request, table_filter), table_filter))
    return file(text, f"runs-{table_filter.chart_environment}.csv", "text/csv")


def table_csv(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    return file(exports.table_csv(_table(table_filter, _records(request, table_filter))), "leaderboard.csv", "text/csv")


def table_latex(request: HttpRequest) -> HttpResponse:
    table_filter = _filter(request)
    table = _table(table_filter, _records(request, table_filter))
    return file(exports.table_latex(table), "leaderboard.tex", "application/x-tex")


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
