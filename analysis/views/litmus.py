"""The litmus page, its charts as JSON, files, and the panel on the page of an experiment."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

from accounts.pages.requests import MemberRequest
from analysis import board_figures, exports
from analysis.boards import litmus_rows, records_of
from analysis.kinds import filter_form
from analysis.litmus import charts
from analysis.litmus.board import build_board, facts
from analysis.litmus.filters import ALL, LitmusFilter
from analysis.models import BoardKind
from analysis.views.answers import file, run_url, table_page
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404

OWN_ROWS = ("own", "baseline")


def litmus(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, BoardKind.LITMUS, request.GET)
    chosen = form.chosen()
    experiment = None
    if chosen.experiment:
        experiment = experiment_or_404(organization=request.organization, experiment_id=chosen.experiment)
    return table_page(request, form, "analysis/litmus.html", experiment=experiment, facts=facts(chosen))


def of_experiment(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The three scores of one experiment's agents; 204 if nothing has changed since the version."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    litmus_filter = LitmusFilter(rows=OWN_ROWS, experiment=experiment.pk, scope=ALL)
    records = records_of(organization=request.organization, litmus_filter=litmus_filter)
    version = f"{sum(run.state == 'finished' for run in records)}.{sum(run.state in ACTIVE for run in records)}"
    if request.GET.get("version") == version:
        return HttpResponse(status=204)
    rows = litmus_rows(records, litmus_filter)
    context = {
        "experiment": experiment,
        "filter": litmus_filter,
        "board": build_board(rows, litmus_filter, all_tests=False),
        "active": any(run.state in ACTIVE for run in records),
        "version": version,
    }
    return render(request, "analysis/_litmus_experiment.html", context)


def table_csv(request: MemberRequest) -> HttpResponse:
    chosen = _filter(request)
    records = records_of(organization=request.organization, litmus_filter=chosen)
    return file(exports.litmus_csv(litmus_rows(records, chosen)), "litmus.csv", "text/csv")


def runs_csv(request: MemberRequest) -> HttpResponse:
    """The runs behind table and charts."""
    records = records_of(organization=request.organization, litmus_filter=_filter(request), metrics=charts.PARETO)
    return file(exports.litmus_runs_csv(records), "litmus-runs.csv", "text/csv")


def figure(request: MemberRequest, name: str) -> JsonResponse:
    """One of the charts, by its name in analysis.board_figures."""
    draw = board_figures.LITMUS_FIGURES[name]
    return JsonResponse(draw(request.organization, _filter(request), run_url))


def _filter(request: MemberRequest) -> LitmusFilter:
    chosen: LitmusFilter = filter_form(request.organization, BoardKind.LITMUS, request.GET).chosen()
    return chosen
