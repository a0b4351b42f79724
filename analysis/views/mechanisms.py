"""The mechanisms page: which agents differ, and which metrics of their runs correlate with their scores."""

from typing import ClassVar

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis.base.benchmark_filters import TableFilter, environment_title
from analysis.figures.mechanisms.heatmaps import chart_heights
from analysis.kinds import filter_form
from analysis.leaderboard_figures import FIGURES
from analysis.mechanisms import exports, figures, selectors
from analysis.mechanisms.means import fit_rows, metric_rows, reasoning_tests
from analysis.mechanisms.pairs import PairGrid
from analysis.views.answers import filtered_page, run_url, table_file
from games.registry import parts_of


class MechanismFilter(TableFilter):
    PAGE: ClassVar[str] = "analysis:mechanisms"
    TAKES_DESIGNS: ClassVar[bool] = False


def mechanisms(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, MechanismFilter, request.GET)
    mechanism_filter = form.to_filter()
    chart_filter = figures.filter_of_chart(mechanism_filter)
    (environment,), metrics = chart_filter.environments, parts_of(chart_filter.environments[0]).metrics
    means = selectors.means_of(organization=request.organization, table_filter=chart_filter)
    grid = selectors.grid_of(organization=request.organization, table_filter=chart_filter)
    return filtered_page(
        request,
        form,
        "analysis/mechanisms.html",
        heading="Mechanisms",
        environment=environment_title(environment),
        choices=[
            (environment_title(e), mechanism_filter.query(chart=e), e == environment)
            for e in mechanism_filter.environments
        ],
        grid=grid,
        heights=chart_heights(grid),
        metrics=metrics,
        difficulties=chart_filter.difficulties,
        rows=metric_rows(
            means,
            metrics,
            chart_filter.difficulties,
            lambda mean: figures.runs_url(chart_filter, mean.slug, mean.difficulty),
        ),
        fits=fit_rows(means, metrics, chart_filter.difficulties),
        reasoning=reasoning_tests(means, metrics, chart_filter.difficulties),
        litmus_query=selectors.litmus_filter(mechanism_filter).query(),
    )


def pairs(request: MemberRequest) -> JsonResponse:
    return _figure(request, "pairs")


def difficulties(request: MemberRequest) -> JsonResponse:
    return _figure(request, "difficulties")


def metric(request: MemberRequest, *, by_release: bool = False) -> JsonResponse:
    """The figure of the metric in the address."""
    return _figure(request, "releases" if by_release else "metric", request.GET.get("metric", ""))


def litmus(request: MemberRequest) -> JsonResponse:
    return _figure(request, "litmus-scores")


def tests(request: MemberRequest, form: str) -> HttpResponse:
    chart_filter, grid = _grid(request)
    return table_file(request, exports.pair_tests(grid), form, f"pairs-{chart_filter.environments[0]}")


def changes(request: MemberRequest, form: str) -> HttpResponse:
    chart_filter, grid = _grid(request)
    return table_file(request, exports.difficulty_tests(grid), form, f"difficulties-{chart_filter.environments[0]}")


def reasoning(request: MemberRequest, form: str) -> HttpResponse:
    chart_filter = _chart_filter(request)
    model_tests = selectors.reasoning_of(organization=request.organization, table_filter=chart_filter)
    return table_file(
        request,
        exports.reasoning_models(chart_filter.environments[0], model_tests),
        form,
        f"reasoning-{chart_filter.environments[0]}",
    )


def means(request: MemberRequest, form: str) -> HttpResponse:
    chart_filter = _chart_filter(request)
    metric_means = selectors.means_of(organization=request.organization, table_filter=chart_filter)
    return table_file(
        request,
        exports.metric_means(chart_filter.environments[0], metric_means),
        form,
        f"metrics-{chart_filter.environments[0]}",
    )


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """A file of the runs in the figure of litmus scores."""
    records = selectors.litmus_records(organization=request.organization, table_filter=_chart_filter(request))
    return table_file(request, exports.litmus_runs(records), form, "litmus-scores")


def _figure(request: MemberRequest, name: str, *metric: str) -> JsonResponse:
    """A figure as JSON. name: its name in analysis.leaderboard_figures"""
    return JsonResponse(FIGURES[name].draw(request.organization, _filter(request), run_url, *metric))


def _filter(request: MemberRequest) -> MechanismFilter:
    return filter_form(request.organization, MechanismFilter, request.GET).to_filter()


def _chart_filter(request: MemberRequest) -> TableFilter:
    return figures.filter_of_chart(_filter(request))


def _grid(request: MemberRequest) -> tuple[TableFilter, PairGrid]:
    chart_filter = _chart_filter(request)
    return chart_filter, selectors.grid_of(organization=request.organization, table_filter=chart_filter)
