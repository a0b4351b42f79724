"""The leaderboard and the runs behind a cell, the litmus page, scores over time: pages, figures as JSON, and files."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.requests import MemberRequest
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter, environment_title
from analysis.base.leaderboard import OWN_DESIGN
from analysis.base.litmus_filters import ALL, LitmusFilter
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.runs import cell_runs
from analysis.benchmark.selectors import runs_summary
from analysis.forms import filter_form
from analysis.hidden import hidden_of_cell
from analysis.litmus.leaderboard import build_leaderboard, tests_with_a_run
from analysis.litmus.runs import litmus_rows, records_of
from environments.generation import is_design
from infrastructure.paging import LONG_PAGE
from runs.models import Agent
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404


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


def _filter(request: MemberRequest) -> TableFilter:
    return filter_form(request.organization, TableFilter, request.GET).to_filter()


OWN_ROWS = ("own", "baseline")


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
