"""The charts of a run, up to the last period played."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.http import Http404, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response

from accounts.pages.requests import MemberRequest
from analysis.benchmark.selectors import outcomes_of_run, run_with_instance, styles_of_agents
from analysis.figures.registry import PLANE_FIGURES, RunFigure
from analysis.figures.registry import run_figure as figure_of_run
from runs.models import Run

FIGURES_VERSION = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted((Path(__file__).parent.parent / "figures").rglob("*.py")))
).hexdigest()[:12]
"""Changes with the code of the figures, so that no browser keeps one drawn by older code."""


def run_figure(request: MemberRequest, run_id: int) -> HttpResponse:
    return _figure(request, _run(request, run_id), figure_of_run, "chart")


def run_plane(request: MemberRequest, run_id: int) -> HttpResponse:
    """The second figure of a run, which only some environments have."""
    run = _run(request, run_id)
    draw = PLANE_FIGURES.get(run.instance.environment)
    if draw is None:
        raise Http404("Runs of this environment have one chart only.")
    return _figure(request, run, draw, "plane")


def _run(request: MemberRequest, run_id: int) -> Run:
    try:
        return run_with_instance(organization=request.organization, run_id=run_id)
    except Run.DoesNotExist:
        raise Http404("There is no such run.") from None


def _figure(request: MemberRequest, run: Run, draw: RunFigure, kind: str) -> HttpResponse:
    solved = run.instance.reference is not None
    etag = f'"{kind}.{run.pk}.{run.periods_played}.{run.state}.{solved:d}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    colour = styles_of_agents(organization=request.organization)[run.agent_id].colour
    figure = draw(run.instance.as_problem(), outcomes_of_run(run), run.periods, colour)
    return JsonResponse(figure, headers={"ETag": etag})
