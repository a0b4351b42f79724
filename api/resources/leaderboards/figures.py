from typing import Annotated, Any

from django.http import HttpResponse, JsonResponse
from ninja import Query

from analysis.answers import FIGURES
from analysis.answers.behaviour import METRIC
from analysis.answers.comparison import comparison_figure
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import CompareLitmusFilter
from analysis.base.table import LeaderboardKind
from analysis.figures.light import coloured
from analysis.views import agents, experiments
from analysis.views.answers import FigureAnswer, run_url
from api.auth import ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import EXPERIMENT, RUN, Id, answers, resource
from api.resources.agents import Slug
from api.resources.instances import Environment
from api.resources.leaderboards.leaderboards import filter_from_request
from api.resources.runs import Variant
from api.schemas.base import OneOf
from environments.registry import BENCHMARKS
from games.registry import parts_of
from infrastructure.schemas import Plain

router = resource("Figures")
BENCHMARK = {
    name: answer.figures[name]
    for name, answer in FIGURES.items()
    if answer.filter_class.kind == LeaderboardKind.BENCHMARK
}
NAMES = "; ".join(f"`{name}` {figure.about}" for name, figure in BENCHMARK.items())
OF_METRIC = " and ".join(f"`{name}`" for name, figure in BENCHMARK.items() if figure.key == METRIC)


@router.get("/figures", response=answers(dict, has_404=False), summary="Get a figure of the benchmarks")
def get_figure(
    request: ApiRequest,
    filters: Query[TableFilter],
    figure: Annotated[str, OneOf(tuple(BENCHMARK)), Query("trends", description=NAMES)],
    metric: Annotated[
        Plain,
        Query("", max_length=200, description=f"The metric that {OF_METRIC} shows, by its key in `metrics` of a run."),
    ],
) -> HttpResponse:
    """Return a Plotly figure. `chart` has no effect on `trends` and `comparison`; `environments` narrows `comparison`."""
    run_filter: Any = filter_from_request(request, FIGURES[figure].filter_class)
    of_metric = BENCHMARK[figure].key == METRIC
    keys = [metric] if metric or of_metric else []
    metrics = [each.key for each in parts_of(run_filter.chart_environment).metrics] if of_metric else []
    if not set(keys) <= set(metrics):
        raise invalid({"metric": f"Give one of {', '.join(metrics)}." if metrics else "There is no metric here."})
    return JsonResponse(coloured(BENCHMARK[figure].draw(request.auth.organization, run_filter, run_url, *keys)))


@router.get("/compare/litmus/figure", response=answers(dict), summary="Get the figure of a comparison of litmus scores")
def compare_litmus_figure(request: ApiRequest, filters: Query[CompareLitmusFilter]) -> HttpResponse:
    """Return a Plotly figure of the first two `agents` that finished an instance in common."""
    litmus_filter = filter_from_request(request, CompareLitmusFilter)
    return JsonResponse(coloured(comparison_figure(request.auth.organization, litmus_filter, run_url)))


@router.get(f"{RUN}/figure", response=answers(dict), summary="Get the chart of a run")
def run_figure(request: ApiRequest, run_id: Id) -> HttpResponse:
    """Return a Plotly figure of the run by period, up to the last played period."""
    return _in_colours(experiments.run_figure(request, run_id))


@router.get(f"{RUN}/plane", response=answers(dict), summary="Get the second chart of a run")
def run_plane(request: ApiRequest, run_id: Id) -> HttpResponse:
    """Only some environments have a second chart; the answer for others is 404."""
    return _in_colours(experiments.run_figure(request, run_id, "plane"))


@router.get(
    f"{EXPERIMENT}/figures/scores", response=answers(dict), summary="Get the scores of an experiment as a figure"
)
def experiment_scores(
    request: ApiRequest,
    experiment_id: Id,
    environment: Environment = BENCHMARKS[0],
    variant: Variant = "main",
) -> HttpResponse:
    """Return a Plotly figure with one point for each run, by agent, in one environment."""
    return _in_colours(experiments.scores_in(request, experiment_id, environment, variant))


@router.get(
    f"{EXPERIMENT}/figures/progress", response=answers(dict), summary="Get the progress of an experiment as a figure"
)
def experiment_progress(request: ApiRequest, experiment_id: Id) -> HttpResponse:
    """Return a Plotly figure of played periods and dollars over time."""
    return _in_colours(experiments.progress(request, experiment_id))


@router.get("/agents/{slug}/figures/scores", response=answers(dict), summary="Get an agent's scores as a figure")
def agent_scores(request: ApiRequest, slug: Slug) -> HttpResponse:
    """Return a Plotly figure of the agent's scores by day of the run."""
    return _in_colours(agents.over_time(request, slug))


@router.get("/agents/{slug}/figures/litmus", response=answers(dict), summary="Get an agent's litmus scores as a figure")
def agent_litmus(request: ApiRequest, slug: Slug) -> HttpResponse:
    """Return a Plotly figure of the agent's litmus scores by test."""
    return _in_colours(agents.litmus_profile(request, slug))


def _in_colours(answer: HttpResponse) -> HttpResponse:
    """A page's answer with real colours instead of CSS variables. A 304 stays as it is."""
    if not isinstance(answer, FigureAnswer):
        return answer
    headers = {"ETag": answer.headers["ETag"]} if "ETag" in answer.headers else {}
    return JsonResponse(coloured(answer.figure), headers=headers)
