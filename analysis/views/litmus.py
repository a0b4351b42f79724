"""The litmus page, its charts as JSON, its numbers as files, and the panel on the page of an experiment."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from analysis import exports, published
from analysis.figures.collusion import market_figure
from analysis.figures.names import name_strip
from analysis.figures.pareto import pareto_figure
from analysis.figures.patience import NO_RUNS, choice_curves
from analysis.figures.theme import empty_figure
from analysis.forms import offer_tags
from analysis.litmus import charts
from analysis.litmus.board import arrange
from analysis.litmus.filters import ALL, LitmusFilter
from analysis.litmus.forms import LitmusForm
from analysis.litmus.page import page_of
from analysis.litmus.scores import COLLUSION, EQUALITY, PATIENCE, LitmusRun
from analysis.litmus.selectors import SCORING, instances_by_id, litmus_records, litmus_runs
from analysis.litmus.table import CSV_HEAD, LitmusRow, litmus_csv_rows, litmus_table
from analysis.selectors import styles_of_agents
from analysis.views.answers import file, run_url
from environments.patience.cells import horizons
from runs.models.runs import ACTIVE
from runs.selectors.experiments import experiment_or_404
from runs.selectors.tags import offered_tags

OWN_ROWS = ("own", "baseline")


def litmus(request: HttpRequest) -> HttpResponse:
    form = LitmusForm(request.GET)
    litmus_filter = form.litmus_filter()
    experiment = None
    if litmus_filter.experiment:
        experiment = experiment_or_404(organization=request.organization, experiment_id=litmus_filter.experiment)
    records = _records(request, litmus_filter, (*SCORING, *charts.PARETO))
    named = _records(request, litmus_filter, (*charts.NAMES, *charts.CURVES), PATIENCE)
    context = {
        "form": form,
        "tagged": offer_tags(form, offered_tags(request.organization)),
        "filter": litmus_filter,
        "experiment": experiment,
        "board": arrange(_rows(records, litmus_filter), litmus_filter),
        "page": page_of(records, named, litmus_filter),
    }
    response = render(request, "analysis/litmus.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{litmus_filter.query()}".rstrip("?")
    return response


def of_experiment(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """The three scores of one experiment's agents, as they become known; 204 where nothing has moved."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    litmus_filter = LitmusFilter(rows=OWN_ROWS, experiment=experiment.pk, scope=ALL)
    records = _records(request, litmus_filter)
    version = f"{sum(run.state == 'finished' for run in records)}.{sum(run.state in ACTIVE for run in records)}"
    if request.GET.get("version") == version:
        return HttpResponse(status=204)
    context = {
        "experiment": experiment,
        "filter": litmus_filter,
        "board": arrange(_rows(records, litmus_filter), litmus_filter, all_tests=False),
        "active": any(run.state in ACTIVE for run in records),
        "version": version,
    }
    return render(request, "analysis/_litmus_experiment.html", context)


def table_csv(request: HttpRequest) -> HttpResponse:
    litmus_filter = LitmusForm(request.GET).litmus_filter()
    rows = _rows(_records(request, litmus_filter), litmus_filter)
    return file(exports.as_csv(CSV_HEAD, litmus_csv_rows(rows)), "litmus.csv", "text/csv")


def runs_csv(request: HttpRequest) -> HttpResponse:
    """The runs behind table and charts."""
    records = _records(request, LitmusForm(request.GET).litmus_filter(), charts.PARETO)
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


def pareto(request: HttpRequest) -> JsonResponse:
    litmus_filter = LitmusForm(request.GET).litmus_filter()
    runs = charts.pareto_runs(_records(request, litmus_filter, charts.PARETO, EQUALITY), litmus_filter.seed)
    rows = instances_by_id(organization=request.organization, ids=(run.instance_id for run in runs))
    instances = {key: row.as_problem() for key, row in rows.items()}
    styles = styles_of_agents(organization=request.organization)
    return JsonResponse(pareto_figure(runs, instances, styles, run_url))


def markets(request: HttpRequest) -> JsonResponse:
    records = _records(request, LitmusForm(request.GET).litmus_filter(), charts.MARKET, COLLUSION)
    styles = styles_of_agents(organization=request.organization)
    return JsonResponse(market_figure(charts.market_runs(records), styles, run_url))


def patience(request: HttpRequest) -> JsonResponse:
    """Choice curves of one agent's latest finished run."""
    litmus_filter = LitmusForm(request.GET).litmus_filter()
    found = charts.latest(_records(request, litmus_filter, charts.CURVES, PATIENCE), "main").values()
    run = next((run for run in found if run.agent_slug == litmus_filter.agent), next(iter(found), None))
    if run is None:
        return JsonResponse(empty_figure(NO_RUNS))
    instance = instances_by_id(organization=request.organization, ids=[run.instance_id])[run.instance_id]
    colour = styles_of_agents(organization=request.organization)[run.agent_id].colour
    address = run_url(run.run_id)
    figure = choice_curves(
        horizons(instance.parameters), run.metrics["by_horizon"] or {}, colour, lambda *place: address, select="url"
    )
    return JsonResponse(figure)


def names(request: HttpRequest) -> JsonResponse:
    wanted = (*charts.NAMES, *charts.CURVES)
    records = _records(request, LitmusForm(request.GET).litmus_filter(), wanted, PATIENCE)
    styles = styles_of_agents(organization=request.organization)
    return JsonResponse(name_strip(charts.name_scores(records, styles, run_url), select="url"))


def _records(
    request: HttpRequest, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, test: str = ""
) -> list[LitmusRun]:
    """Runs of all tests, or of one under the prompts that its charts show."""
    runs = litmus_runs(organization=request.organization, litmus_filter=litmus_filter)
    if test:
        runs = runs.filter(instance__environment=test, variant__in=charts.CHART_VARIANTS[test])
    return litmus_records(runs, metrics)


def _rows(records: list[LitmusRun], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)
