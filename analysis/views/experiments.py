"""The figures of an experiment, a run and the spend page, and the redirect to an experiment's comparison."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from django.db.models import Count, Max, Q, Sum
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.pages.requests import MemberRequest, typed
from analysis.base.selectors import outcomes_of_run, styles_of_agents
from analysis.benchmark.selectors import scored_runs
from analysis.experiments.selectors import comparison_address, forecast_of, moments, played_runs, scores_table
from analysis.figures import dots
from analysis.figures.marks import with_marks
from analysis.figures.over_time import progress_figure, spend_figure
from analysis.views.answers import FigureAnswer, run_url
from games import registry
from infrastructure.figures.theme import PlotlyFigure
from runs.findings.selectors import run_report
from runs.models import Run, RunState
from runs.selectors.experiments import experiment_or_404
from workspace.spending.selectors.breakdown import days_spent
from workspace.spending.selectors.months import month_from

FIGURES_VERSION = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted((Path(__file__).parent.parent / "figures").rglob("*.py")))
).hexdigest()[:12]
"""A hash of the figures' code, so that no browser keeps a figure of older code."""


def run_figure(request: MemberRequest, run_id: int, name: str = "chart") -> HttpResponse:
    """A figure of a run. name: its name in the registry"""
    run = get_object_or_404(Run.objects.select_related("instance"), organization=request.organization, pk=run_id)
    if not registry.has_figure(run.instance.environment, name):
        raise Http404("Runs of this environment have one chart only.")
    solved = run.instance.reference is not None
    marks = run_report(run).marks
    marks_hash = hashlib.sha256(repr(marks).encode()).hexdigest()[:12]
    etag = f'"{name}.{run.pk}.{run.periods_played}.{run.state}.{solved:d}.{marks_hash}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    colour = styles_of_agents(organization=request.organization)[run.agent_id].colour
    figure = registry.run_figure(run.instance.as_problem(), outcomes_of_run(run), run.periods, colour, name)
    return FigureAnswer(with_marks(figure, marks), headers={"ETag": etag})


def scores(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The figure of scores in the environment and variant of the query string."""
    return scores_in(request, experiment_id, typed(request.GET, "environment"), typed(request.GET, "variant"))


def scores_in(request: MemberRequest, experiment_id: int, environment: str, variant: str) -> HttpResponse:
    """The figure of scores by agent, in one environment and variant."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    runs = played_runs(experiment).filter(instance__environment=environment, variant=variant)
    finished = Q(state=RunState.FINISHED)
    state = runs.aggregate(n=Count("id", filter=finished), total=Sum("score"), of=Count("id"))
    styles = styles_of_agents(organization=request.organization)
    return _figure_unless_unchanged(
        request, state, lambda: dots.strip_figure(scores_table(runs), scored_runs(runs), styles, run_url)
    )


def progress(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The figure of periods and dollars over time."""
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
    """The figure; 304 if the browser has already drawn it for this `state`."""
    etag = f'"{".".join(str(value) for value in state.values()).replace(" ", "T")}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    return FigureAnswer(draw(), headers={"ETag": etag})


def compare(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """Redirect to the comparison of the experiment's agents."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    name, query = comparison_address(experiment)
    return redirect(f"{reverse(name)}?{query}")


@require_safe
def spend_days(request: MemberRequest) -> HttpResponse:
    month = month_from(typed(request.GET, "month"))
    return JsonResponse(spend_figure(days_spent(organization=request.organization, month=month)))
