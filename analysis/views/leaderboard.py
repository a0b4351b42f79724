"""Leaderboard, the runs behind a cell, its figure as JSON, files to keep."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from accounts.pages.requests import MemberRequest
from analysis import board_figures
from analysis.benchmark import exports
from analysis.benchmark.filters import TableFilter, environment_title
from analysis.benchmark.forms import FilterForm, offer_tags
from analysis.benchmark.links import benchmark_links, cell_query
from analysis.benchmark.page import Column, cell_summary
from analysis.benchmark.selectors import cell_runs, played_agents, played_lengths, run_records
from analysis.boards import benchmark_board, benchmark_records, table_of
from analysis.hidden import hidden_of_cell, hidden_of_table
from analysis.records import RunRecord
from analysis.views.answers import file, run_url
from discussion.selectors.tags import offered_tags
from runs.models import Agent

PAGE_SIZE = 100


def leaderboard(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    table_filter = form.table_filter()
    links = benchmark_links(table_filter)
    board = benchmark_board(organization=request.organization, table_filter=table_filter, links=links)
    tagged = offer_tags(form, offered_tags(request.organization))
    hidden = hidden_of_table(
        organization=request.organization, table_filter=table_filter, address=reverse("analysis:leaderboard")
    )
    context = {"form": form, "filter": table_filter, "board": board, "tagged": tagged, "hidden": hidden}
    response = render(request, "analysis/leaderboard.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{table_filter.query()}".rstrip("?")
    return response


def cell(request: MemberRequest) -> HttpResponse:
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
    hidden = hidden_of_cell(
        organization=request.organization,
        table_filter=table_filter,
        agent_id=agent.pk,
        environment=column.environment,
        difficulty=column.difficulty,
        query=lambda shown: cell_query(agent.slug, column, shown),
    )
    context = {
        "hidden": hidden,
        "agent": agent,
        "column": column,
        "environment": environment_title(column.environment),
        "filter": table_filter,
        "sort": sort,
        "summary": cell_summary(run_records(runs)),
        "page": Paginator(runs, PAGE_SIZE).get_page(request.GET.get("page")),
    }
    return render(request, "analysis/cell.html", context)


def strip(request: MemberRequest) -> JsonResponse:
    """The figure below the table: scores of single runs by agent."""
    return JsonResponse(board_figures.strip(request.organization, _filter(request), run_url))


def strip_csv(request: MemberRequest) -> HttpResponse:
    table_filter = _filter(request)
    text = exports.runs_csv(board_figures.of_chart(_records(request, table_filter), table_filter))
    return file(text, f"runs-{table_filter.chart_environment}.csv", "text/csv")


def table_csv(request: MemberRequest) -> HttpResponse:
    table_filter = _filter(request)
    return file(
        exports.table_csv(table_of(table_filter, _records(request, table_filter))), "leaderboard.csv", "text/csv"
    )


def table_latex(request: MemberRequest) -> HttpResponse:
    table_filter = _filter(request)
    table = table_of(table_filter, _records(request, table_filter))
    return file(exports.table_latex(table), "leaderboard.tex", "application/x-tex")


def _form(request: MemberRequest) -> FilterForm:
    organization = request.organization
    lengths, agents = played_lengths(organization=organization), played_agents(organization=organization)
    return FilterForm(request.GET, lengths, agents)


def _filter(request: MemberRequest) -> TableFilter:
    return _form(request).table_filter()


def _records(request: MemberRequest, table_filter: TableFilter) -> list[RunRecord]:
    return benchmark_records(organization=request.organization, table_filter=table_filter)
