"""Which agents differ, and which metrics of their runs go together with their scores."""

from django.http import Http404, HttpResponse, JsonResponse
from django.urls import reverse

from accounts.pages.requests import MemberRequest
from analysis.base.selectors import styles_of_agents
from analysis.benchmark.filters import TableFilter, environment_title
from analysis.benchmark.table import BenchmarkColumn
from analysis.figures.mechanisms.heatmaps import PairLink, chart_heights, difficulty_figure, pooled_figure
from analysis.figures.mechanisms.litmus import litmus_strip
from analysis.figures.mechanisms.registry import metrics_of
from analysis.figures.mechanisms.scatter import release_figure, score_figure
from analysis.kinds import filter_form
from analysis.links import cell_query, conditions_query
from analysis.mechanisms import exports
from analysis.mechanisms.filters import MechanismForm
from analysis.mechanisms.means import reasoning_tests
from analysis.mechanisms.page import fit_rows, metric_rows
from analysis.mechanisms.pairs import PairGrid, Player
from analysis.mechanisms.selectors import (
    grid_of,
    litmus_filter,
    litmus_records,
    means_of,
    one_environment,
    reasoning_of,
)
from analysis.views.answers import filtered_page, run_url, table_file


def mechanisms(request: MemberRequest) -> HttpResponse:
    form = filter_form(request.organization, MechanismForm, request.GET)
    chosen = form.chosen()
    shown = one_environment(chosen, chosen.chart_environment)
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
        rows=metric_rows(means, metrics, shown.difficulties, lambda one: _runs_of(shown, one.slug, one.difficulty)),
        fits=fit_rows(means, metrics, shown.difficulties),
        reasoning=reasoning_tests(means, metrics, shown.difficulties),
        litmus_query=litmus_filter(chosen).query(),
    )


def pairs(request: MemberRequest) -> JsonResponse:
    """Tests over all difficulties together, and their consistency."""
    shown, grid = _grid(request)
    return JsonResponse(pooled_figure(grid, _pair_link(shown)))


def difficulties(request: MemberRequest) -> JsonResponse:
    """Tests by difficulty."""
    shown, grid = _grid(request)
    return JsonResponse(difficulty_figure(grid, _pair_link(shown)))


def metric(request: MemberRequest, *, by_release: bool = False) -> JsonResponse:
    """The score over the metric that the address names, or this metric over the release date."""
    shown = _shown(request)
    named = [one for one in metrics_of(shown.environments[0]) if one.key == request.GET.get("metric")]
    if not named:
        raise Http404("This environment has no such metric.")
    draw = release_figure if by_release else score_figure
    means = means_of(organization=request.organization, chosen=shown)
    styles = styles_of_agents(organization=request.organization)
    link = lambda one: _runs_of(shown, one.slug, one.difficulty)  # noqa: E731
    return JsonResponse(draw(means, named[0], shown.difficulties, styles, link))


def litmus(request: MemberRequest) -> JsonResponse:
    """Litmus scores of single runs."""
    records = litmus_records(organization=request.organization, chosen=_shown(request))
    return JsonResponse(litmus_strip(records, styles_of_agents(organization=request.organization), run_url))


def tests(request: MemberRequest, form: str) -> HttpResponse:
    shown, grid = _grid(request)
    return table_file(exports.pair_tests(grid), form, f"pairs-{shown.environments[0]}")


def changes(request: MemberRequest, form: str) -> HttpResponse:
    shown, grid = _grid(request)
    return table_file(exports.difficulty_tests(grid), form, f"difficulties-{shown.environments[0]}")


def reasoning(request: MemberRequest, form: str) -> HttpResponse:
    shown = _shown(request)
    found = reasoning_of(organization=request.organization, chosen=shown)
    return table_file(
        exports.reasoning_models(shown.environments[0], found), form, f"reasoning-{shown.environments[0]}"
    )


def means(request: MemberRequest, form: str) -> HttpResponse:
    shown = _shown(request)
    found = means_of(organization=request.organization, chosen=shown)
    return table_file(exports.metric_means(shown.environments[0], found), form, f"metrics-{shown.environments[0]}")


def runs(request: MemberRequest, form: str) -> HttpResponse:
    """The runs of the figure of litmus scores."""
    records = litmus_records(organization=request.organization, chosen=_shown(request))
    return table_file(exports.litmus_runs(records), form, "litmus-scores")


def _shown(request: MemberRequest) -> TableFilter:
    chosen = filter_form(request.organization, MechanismForm, request.GET).chosen()
    return one_environment(chosen, chosen.chart_environment)


def _grid(request: MemberRequest) -> tuple[TableFilter, PairGrid]:
    shown = _shown(request)
    return shown, grid_of(organization=request.organization, chosen=shown)


def _runs_of(shown: TableFilter, slug: str, difficulty: str) -> str:
    """The list of an agent's runs on a difficulty; published means have none."""
    if not slug:
        return ""
    column = BenchmarkColumn(shown.environments[0], difficulty)
    return f"{reverse('analysis:cell')}?{cell_query(slug, column, conditions_query(shown))}"


def _pair_link(shown: TableFilter) -> PairLink:
    """The comparison of two agents with the filters of the page, or the runs of one."""

    def link(row: Player, column: Player) -> str:
        if row is column:
            return _runs_of(shown, row.slug, shown.difficulties[-1])
        return f"{reverse('analysis:compare')}?{shown.query(agents=(column.slug, row.slug), chart='')}"

    return link
