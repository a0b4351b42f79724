"""The figures on the page of an experiment, and the way from there to the comparison of its agents."""

from collections.abc import Callable

from django.db.models import Count, Max, Q, Sum
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response

from accounts.pages.requests import MemberRequest, typed
from analysis.base.selectors import styles_of_agents
from analysis.benchmark.selectors import scored_runs
from analysis.experiments.selectors import comparison_address, forecast_of, moments, played_runs, scores_table
from analysis.figures.progress import progress_figure
from analysis.figures.strip import strip_figure
from analysis.views.answers import FigureAnswer, run_url
from analysis.views.runs import FIGURES_VERSION
from infrastructure.figures.theme import PlotlyFigure
from runs.models import RunState
from runs.selectors.experiments import experiment_or_404


def scores(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """In the environment and the variant of the query."""
    return scores_in(request, experiment_id, typed(request.GET, "environment"), typed(request.GET, "variant"))


def scores_in(request: MemberRequest, experiment_id: int, environment: str, variant: str) -> HttpResponse:
    """Scores by agent in an environment under a variant."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    runs = played_runs(experiment).filter(instance__environment=environment, variant=variant)
    finished = Q(state=RunState.FINISHED)
    state = runs.aggregate(n=Count("id", filter=finished), total=Sum("score"), of=Count("id"))
    styles = styles_of_agents(organization=request.organization)
    return _figure_unless_unchanged(
        request, state, lambda: strip_figure(scores_table(runs), scored_runs(runs), styles, run_url)
    )


def progress(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """Periods and dollars over time."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    state = played_runs(experiment).aggregate(
        played=Sum("periods_played"), cost=Sum("cost_nano"), planned=Sum("periods"), last=Max("progressed_at")
    )
    return _figure_unless_unchanged(
        request, state, lambda: progress_figure(moments(experiment), state["planned"] or 0, forecast_of(experiment))
    )


def _figure_unless_unchanged(
    request: MemberRequest, state: dict[str, object], draw: Callable[[], PlotlyFigure]
) -> HttpResponse:
    """The figure; 304 if the browser has drawn it in this state."""
    etag = f'"{".".join(str(value) for value in state.values()).replace(" ", "T")}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    return FigureAnswer(draw(), headers={"ETag": etag})


def compare(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """On to the comparison of the experiment's agents."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    name, query = comparison_address(experiment)
    return redirect(f"{reverse(name)}?{query}")
