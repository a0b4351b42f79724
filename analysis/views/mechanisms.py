"""Which agents differ, and which metrics of their runs go together with their scores."""

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis.benchmark.filters import TableFilter, environment_title
from analysis.board_figures import FIGURES
from analysis.figures.mechanisms.heatmaps import chart_heights
from analysis.figures.mechanisms.registry import metrics_of
from analysis.kinds import filter_form
from analysis.mechanisms import exports
from analysis.mechanisms.figures import runs_of, shown_of
from analysis.mechanisms.filters import MechanismFilter, MechanismForm
from analysis.mechanisms.means import reasoning_tests
from analysis.mechanisms.page import fit_rows, metric_rows
from analysis.mechanisms.pairs import PairGrid
from analysis.mechanisms.selectors import grid_of, litmus_filter, litmus_records, means_of, reasoning_of
from analysis.views.answers import filtered_page, run_url, table_file


def mechanisms(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, MechanismForm, request.GET)
    chosen = form.chosen()
    shown = shown_of(chosen)
    (environment,), metrics = shown.environments, metrics_of(shown.environments[0])
    means = means_of(organization=request.organization, chosen=shown)
    grid = grid_of(organization=request.organization, chosen=shown)
    return filtered_page(
        request,
        form,
        "analysis/mechanisms.html",
        heading="Mechanisms",
        environment=environment_title(environment),
        choices=[(environment_title(e), chosen.query(chart=e), e == environment) for e in chosen.environments],
        grid=grid,
        heights=chart_heights(grid),
        metrics=metrics,
        difficulties=shown.difficulties,
        rows=metric_rows(means, metrics, shown.difficulties, lambda one: runs_of(shown, one.slug, one.difficulty)),
        fits=fit_rows(means, metrics, shown.difficulties),
        reasoning=reasoning_tests(means, metrics, shown.difficulties),
        litmus_query=litmus_filter(chosen).query(),
    )


def pairs(request: MemberRequest) -> JsonResponse:
    return _figure(request, "pairs")


def difficulties(request: MemberRequest) -> JsonResponse:
    return _figure(request, "difficulties")


def metric(request: MemberRequest, *, by_release: bool = False) -> JsonResponse:
    """Of the metric that the address names."""
    return _figure(request, "releases" if by_release else "metric", request.GET.get("metric", ""))


def litmus(request: MemberRequest) -> JsonResponse:
    return _figure(request, "litmus-scores")


def tests(request: MemberRequest, form: str) -> HttpResponse:
    shown, grid = _grid(request)
    return table_file(request, exports.pair_tests(grid), form, f"pairs-{shown.environments[0]}")


def changes(request: MemberRequest, form: str) -> HttpResponse:
    shown, grid = _grid(request)
    return table_file(request, exports.difficulty_tests(grid), form, f"difficulties-{shown.environments[0]}")


def reasoning(request: MemberRequest, form: str) -> HttpResponse:
    shown = _shown(request)
    found = reasoning_of(organization=request.organization, chosen=shown)
    return table_file(
        request, exports.reasoning_models(shown.environments[0], found), form, f"reasoning-{shown.environments[0]}"
    )


def means(request: MemberRequest, form: str) -> HttpResponse:
    shown = _shown(request)
    found = means_of(organization=request.organization, chosen=shown)
    return table_file(
        request, exports.metric_means(shown.environments[0], found), form, f"metrics-{shown.environments[0]}"
    )


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """The runs of the figure of litmus scores."""
    records = litmus_records(organization=request.organization, chosen=_shown(request))
    return table_file(request, exports.litmus_runs(records), form, "litmus-scores")


def _figure(request: MemberRequest, name: str, *metric: str) -> JsonResponse:
    """A figure by its name in analysis.board_figures."""
    return JsonResponse(FIGURES[name].draw(request.organization, _filter(request), run_url, *metric))


def _filter(request: MemberRequest) -> MechanismFilter:
    chosen: MechanismFilter = filter_form(request.organization, MechanismForm, request.GET).chosen()
    return chosen


def _shown(request: MemberRequest) -> TableFilter:
    return shown_of(_filter(request))


def _grid(request: MemberRequest) -> tuple[TableFilter, PairGrid]:
    shown = _shown(request)
    return shown, grid_of(organization=request.organization, chosen=shown)
