"""The litmus page, its charts as JSON, its numbers as files, and the panel on the page of an experiment."""

from __future__ import annotations

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.pages.requests import MemberRequest
from analysis import board_figures
from analysis.benchmark import exports
from analysis.benchmark.forms import offer_tags
from analysis.benchmark.links import litmus_links
from analysis.benchmark.selectors import played_agents
from analysis.boards import litmus_page, litmus_rows, records_of
from analysis.hidden import hidden_of_litmus
from analysis.litmus import charts
from analysis.litmus.board import arrange, facts
from analysis.litmus.filters import ALL, LitmusFilter
from analysis.litmus.forms import LitmusForm
from analysis.litmus.table import CSV_HEAD, litmus_csv_rows
from analysis.views.answers import file, run_url
from discussion.selectors.tags import offered_tags
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404

OWN_ROWS = ("own", "baseline")


def litmus(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    litmus_filter = form.litmus_filter()
    experiment = None
    if litmus_filter.experiment:
        experiment = experiment_or_404(organization=request.organization, experiment_id=litmus_filter.experiment)
    links = litmus_links(litmus_filter)
    board, page = litmus_page(organization=request.organization, litmus_filter=litmus_filter, links=links)
    context = {
        "form": form,
        "tagged": offer_tags(form, offered_tags(request.organization)),
        "filter": litmus_filter,
        "facts": facts(litmus_filter),
        "experiment": experiment,
        "board": board,
        "page": page,
        "hidden": hidden_of_litmus(
            organization=request.organization, litmus_filter=litmus_filter, address=reverse("analysis:litmus")
        ),
    }
    response = render(request, "analysis/litmus.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{litmus_filter.query()}".rstrip("?")
    return response


def of_experiment(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The three scores of one experiment's agents, as they become known; 204 where nothing has moved."""
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
        "board": arrange(rows, litmus_filter, all_tests=False),
        "active": any(run.state in ACTIVE for run in records),
        "version": version,
    }
    return render(request, "analysis/_litmus_experiment.html", context)


def table_csv(request: MemberRequest) -> HttpResponse:
    litmus_filter = _filter(request)
    records = records_of(organization=request.organization, litmus_filter=litmus_filter)
    text = exports.as_csv(CSV_HEAD, litmus_csv_rows(litmus_rows(records, litmus_filter)))
    return file(text, "litmus.csv", "text/csv")


def runs_csv(request: MemberRequest) -> HttpResponse:
    """The runs behind table and charts."""
    records = records_of(organization=request.organization, litmus_filter=_filter(request), metrics=charts.PARETO)
    head = ("run", "agent", "test", "variant", "seed", "state", "score", *charts.PARETO)
    lines = (
        (
            r.run_id,
            r.player,
            r.environment,
            r.variant,
            r.seed,
            r.state,
            r.score,
            *(r.metrics[key] for key in charts.PARETO),
        )
        for r in records
    )
    return file(exports.as_csv(head, lines), "litmus-runs.csv", "text/csv")


def figure(request: MemberRequest, name: str) -> JsonResponse:
    """One of the charts by its name in analysis.board_figures."""
    draw = board_figures.LITMUS_FIGURES[name]
    return JsonResponse(draw(request.organization, _filter(request), run_url))


def _form(request: MemberRequest) -> LitmusForm:
    return LitmusForm(request.GET, played_agents(organization=request.organization))


def _filter(request: MemberRequest) -> LitmusFilter:
    return _form(request).litmus_filter()
