"""The leaderboard and the runs behind a cell, the litmus page, scores over time: pages, figures as JSON, and files."""

from typing import ClassVar

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.requests import MemberRequest
from analysis import exports, leaderboard_figures
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter, environment_title
from analysis.base.filters import Rows
from analysis.base.leaderboard import NO_LINKS, OWN_DESIGN
from analysis.base.litmus_filters import ALL, LitmusFilter
from analysis.base.table import Kind
from analysis.benchmark.selectors import runs_summary
from analysis.benchmark.table import BenchmarkColumn
from analysis.forms import FilterForm
from analysis.hidden import hidden_of_cell
from analysis.kinds import filter_form, type_of
from analysis.leaderboards import benchmark_records, cell_runs, litmus_rows, records_of, table_of
from analysis.litmus import exports as litmus_exports
from analysis.litmus import page
from analysis.litmus.leaderboard import build_leaderboard, facts, tests_with_a_run
from analysis.trends.selectors import ColumnTrends, trends_of
from analysis.views.answers import filtered_page, run_url, table_file, table_page
from environments.generation import is_design
from infrastructure.paging import LONG_PAGE
from runs.models import Agent
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404


def leaderboard(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, TableFilter, request.GET)
    return table_page(request, form, "analysis/leaderboard.html")


def cell(request: MemberRequest) -> HttpResponse:
    """The page of the runs behind one cell of the table."""
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
    """The figure below the table, as JSON: scores of single runs by agent."""
    return JsonResponse(leaderboard_figures.strip(request.organization, _filter(request), run_url))


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """A file of the runs of the figure."""
    table_filter = _filter(request)
    chart_filter = table_filter.with_values(environments=(table_filter.chart_environment,))
    records = benchmark_records(organization=request.organization, table_filter=chart_filter)
    return table_file(request, exports.benchmark_runs(records), form, f"runs-{table_filter.chart_environment}")


def table(request: MemberRequest, form: str) -> HttpResponse:
    """A file of the table: in LaTeX as on the page, else with one row for each cell."""
    table_filter = _filter(request)
    benchmark_table = table_of(organization=request.organization, table_filter=table_filter)
    record = exports.benchmark_print(benchmark_table) if form == "latex" else exports.benchmark_cells(benchmark_table)
    return table_file(request, record, form, "leaderboard")


def _filter(request: MemberRequest) -> TableFilter:
    return filter_form(request.organization, TableFilter, request.GET).to_filter()


OWN_ROWS = ("own", "baseline")


def litmus(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, LitmusFilter, request.GET)
    litmus_filter = form.to_filter()
    experiment = None
    if litmus_filter.experiment:
        experiment = experiment_or_404(organization=request.organization, experiment_id=litmus_filter.experiment)
    return table_page(request, form, "analysis/litmus.html", experiment=experiment, facts=facts(litmus_filter))


def experiment_litmus(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The three scores of one experiment's agents; 204 if nothing changed since the given version."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    litmus_filter = LitmusFilter(rows=OWN_ROWS, experiment=experiment.pk, scope=ALL, variant="", mixed=1)
    records = records_of(organization=request.organization, litmus_filter=litmus_filter)
    version = f"{sum(run.state == 'finished' for run in records)}.{sum(run.state in ACTIVE for run in records)}"
    if request.GET.get("version") == version:
        return HttpResponse(status=204)
    rows = litmus_rows(records, litmus_filter)
    context = {
        "experiment": experiment,
        "filter": litmus_filter,
        "leaderboard": build_leaderboard(rows, litmus_filter, tests=tests_with_a_run(rows)),
        "prompts": sorted({row.own_prompt for row in rows}),
        "active": any(run.state in ACTIVE for run in records),
        "version": version,
    }
    return render(request, "analysis/_litmus_experiment.html", context)


def litmus_table(request: MemberRequest, form: str) -> HttpResponse:
    """A file of the table: in LaTeX as on the page, else with one row for each agent and test."""
    litmus_filter = _litmus_filter(request)
    rows = litmus_rows(records_of(organization=request.organization, litmus_filter=litmus_filter), litmus_filter)
    return table_file(
        request,
        litmus_exports.litmus_print(rows) if form == "latex" else litmus_exports.litmus_cells(rows),
        form,
        "litmus",
    )


def litmus_runs(request: MemberRequest, form: str) -> HttpResponse:
    """A file of the runs behind the table and the charts."""
    records = records_of(organization=request.organization, litmus_filter=_litmus_filter(request), metrics=page.PARETO)
    return table_file(request, litmus_exports.litmus_runs(records), form, "litmus-runs")


def panel_table(request: MemberRequest, panel: str, form: str) -> HttpResponse:
    _, page = type_of(litmus_filter := _litmus_filter(request)).build(request.organization, litmus_filter, NO_LINKS)
    return table_file(request, litmus_exports.PANELS[panel](page), form, f"litmus-{panel}")


def litmus_figure(request: MemberRequest, name: str) -> JsonResponse:
    """One of the charts, as JSON. name: its name in analysis.leaderboard_figures"""
    draw = leaderboard_figures.LITMUS_FIGURES[name]
    return JsonResponse(draw(request.organization, _litmus_filter(request), run_url))


def _litmus_filter(request: MemberRequest) -> LitmusFilter:
    return filter_form(request.organization, LitmusFilter, request.GET).to_filter()


class TrendFilter(TableFilter):
    PAGE: ClassVar[str] = "analysis:trends"
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.BASELINE)
    TAKES_DESIGNS: ClassVar[bool] = False

    rows: Rows = (Kind.OWN, Kind.PUBLISHED)


def trends(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    column_trends = trends_of(organization=request.organization, table_filter=form.to_filter())
    return filtered_page(request, form, "analysis/trends.html", heading="Scores over time", trends=column_trends)


def trends_figure(request: MemberRequest) -> JsonResponse:
    return JsonResponse(leaderboard_figures.trends(request.organization, _form(request).to_filter(), run_url))


def observations(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(request, exports.trend_observations(_trends(request)), form, "scores-over-time")


def slopes(request: MemberRequest, form: str) -> HttpResponse:
    return table_file(request, exports.trend_slopes(_trends(request)), form, "slopes")


def _trends(request: MemberRequest) -> list[ColumnTrends]:
    return trends_of(organization=request.organization, table_filter=_form(request).to_filter())


def _form(request: MemberRequest) -> FilterForm[TrendFilter]:
    return filter_form(request.organization, TrendFilter, request.GET)
