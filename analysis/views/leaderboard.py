"""The leaderboard, the runs behind a cell, the figure as JSON, and files."""

from dataclasses import replace

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.requests import MemberRequest
from analysis import board_figures, exports
from analysis.base.board import OWN_DESIGN
from analysis.benchmark.filters import DIFFICULTIES, TableFilter, environment_title
from analysis.benchmark.selectors import runs_summary
from analysis.benchmark.table import BenchmarkColumn
from analysis.boards import benchmark_records, cell_runs, table_of
from analysis.forms import BenchmarkForm
from analysis.hidden import hidden_of_cell
from analysis.kinds import filter_form
from analysis.views.answers import run_url, table_file, table_page
from environments.generation import is_design
from infrastructure.paging import LONG_PAGE
from runs.models import Agent


def leaderboard(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, BenchmarkForm, request.GET)
    return table_page(request, form, "analysis/leaderboard.html")


def cell(request: MemberRequest) -> HttpResponse:
    """The runs behind one cell of the table."""
    organization, table_filter = request.organization, _filter(request)
    column = BenchmarkColumn(request.GET.get("environment", ""), request.GET.get("difficulty", ""))
    own = (column.difficulty,) if is_design(column.difficulty) else ()
    if column not in TableFilter(rows=(), difficulties=(*DIFFICULTIES, *own)).columns:
        raise Http404("There is no such column.")
    agent = get_object_or_404(Agent, organization=organization, slug=request.GET.get("agent", ""))
    sort = request.GET.get("sort", "seed")
    runs = cell_runs(organization=organization, table_filter=table_filter, column=column, agent=agent, sort=sort)
    context = {
        "hidden": hidden_of_cell(organization=organization, table_filter=table_filter, agent=agent, column=column),
        "agent": agent,
        "column": column,
        "note": OWN_DESIGN if own else "",
        "environment": environment_title(column.environment),
        "filter": table_filter,
        "sort": sort,
        "summary": runs_summary(runs),
        "page": Paginator(runs, LONG_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "analysis/cell.html", context)


def strip(request: MemberRequest) -> JsonResponse:
    """The figure below the table: scores of single runs by agent."""
    return JsonResponse(board_figures.strip(request.organization, _filter(request), run_url))


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """The runs of the figure."""
    table_filter = _filter(request)
    chart_filter = replace(table_filter, environments=(table_filter.chart_environment,))
    records = benchmark_records(organization=request.organization, table_filter=chart_filter)
    return table_file(request, exports.benchmark_runs(records), form, f"runs-{table_filter.chart_environment}")


def table(request: MemberRequest, form: str) -> HttpResponse:
    """In LaTeX as on the page, else one row for each cell."""
    table_filter = _filter(request)
    benchmark_table = table_of(organization=request.organization, table_filter=table_filter)
    record = exports.benchmark_print(benchmark_table) if form == "latex" else exports.benchmark_cells(benchmark_table)
    return table_file(request, record, form, "leaderboard")


def _filter(request: MemberRequest) -> TableFilter:
    table_filter: TableFilter = filter_form(request.organization, BenchmarkForm, request.GET).to_filter()
    return table_filter
