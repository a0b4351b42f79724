"""The litmus page, its charts as JSON, files, and the panel on the page of an experiment."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

from accounts.pages.requests import MemberRequest
from analysis import board_figures
from analysis.boards import litmus_rows, records_of
from analysis.forms import LitmusForm
from analysis.kinds import filter_form, type_of
from analysis.links import NO_LINKS
from analysis.litmus import charts, exports
from analysis.litmus.board import build_board, facts, tests_with_a_run
from analysis.litmus.filters import ALL, LitmusFilter
from analysis.views.answers import run_url, table_file, table_page
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404

OWN_ROWS = ("own", "baseline")


def litmus(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, LitmusForm, request.GET)
    litmus_filter = form.to_filter()
    experiment = None
    if litmus_filter.experiment:
        experiment = experiment_or_404(organization=request.organization, experiment_id=litmus_filter.experiment)
    return table_page(request, form, "analysis/litmus.html", experiment=experiment, facts=facts(litmus_filter))


def experiment_litmus(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The three scores of one experiment's agents; 204 if nothing has changed since the version."""
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
        "board": build_board(rows, litmus_filter, tests=tests_with_a_run(rows)),
        "prompts": sorted({row.own_prompt for row in rows}),
        "active": any(run.state in ACTIVE for run in records),
        "version": version,
    }
    return render(request, "analysis/_litmus_experiment.html", context)


def table(request: MemberRequest, form: str) -> HttpResponse:
    """In LaTeX as on the page, else one row for each agent and test."""
    litmus_filter = _filter(request)
    rows = litmus_rows(records_of(organization=request.organization, litmus_filter=litmus_filter), litmus_filter)
    return table_file(
        request, exports.litmus_print(rows) if form == "latex" else exports.litmus_cells(rows), form, "litmus"
    )


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """The runs behind table and charts."""
    records = records_of(organization=request.organization, litmus_filter=_filter(request), metrics=charts.PARETO)
    return table_file(request, exports.litmus_runs(records), form, "litmus-runs")


def panel_table(request: MemberRequest, panel: str, form: str) -> HttpResponse:
    _, page = type_of(litmus_filter := _filter(request)).build(request.organization, litmus_filter, NO_LINKS)
    return table_file(request, exports.PANELS[panel](page), form, f"litmus-{panel}")


def figure(request: MemberRequest, name: str) -> JsonResponse:
    """One of the charts, by its name in analysis.board_figures."""
    draw = board_figures.LITMUS_FIGURES[name]
    return JsonResponse(draw(request.organization, _filter(request), run_url))


def _filter(request: MemberRequest) -> LitmusFilter:
    litmus_filter: LitmusFilter = filter_form(request.organization, LitmusForm, request.GET).to_filter()
    return litmus_filter
