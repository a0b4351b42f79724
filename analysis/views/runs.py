"""The charts of a run, up to the last period played, with its findings and largest changes as marks."""

import hashlib
from pathlib import Path

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response

from accounts.pages.requests import MemberRequest
from analysis.base.selectors import outcomes_of_run, styles_of_agents
from analysis.figures.marks import with_marks
from analysis.views.answers import FigureAnswer
from games.registry import has_figure
from games.registry import run_figure as draw_figure
from runs.findings.selectors import run_report
from runs.models import Run

FIGURES_VERSION = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted((Path(__file__).parent.parent / "figures").rglob("*.py")))
).hexdigest()[:12]
"""A hash of the figures' code, so that no browser keeps a figure of older code."""


def run_figure(request: MemberRequest, run_id: int, name: str = "chart") -> HttpResponse:
    """A figure of a run, by its name in the registry."""
    run = get_object_or_404(Run.objects.select_related("instance"), organization=request.organization, pk=run_id)
    if not has_figure(run.instance.environment, name):
        raise Http404("Runs of this environment have one chart only.")
    solved = run.instance.reference is not None
    marks = run_report(run).marks
    marks_hash = hashlib.sha256(repr(marks).encode()).hexdigest()[:12]
    etag = f'"{name}.{run.pk}.{run.periods_played}.{run.state}.{solved:d}.{marks_hash}.{FIGURES_VERSION}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    colour = styles_of_agents(organization=request.organization)[run.agent_id].colour
    figure = draw_figure(run.instance.as_problem(), outcomes_of_run(run), run.periods, colour, name)
    return FigureAnswer(with_marks(figure, marks), headers={"ETag": etag})
