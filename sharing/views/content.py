"""The pages of something that is shown, read-only. Each view gets the request and the visit, see `sharing.views.visits`.

Share links and galleries put them behind addresses of their own.
"""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict

from accounts.pages.requests import whole
from runs.models import Run
from sharing.kinds import KINDS
from sharing.shown.leaderboards import shared_cell
from sharing.shown.runs import SharedRun, run_chart, run_numbered, shared_notes, shared_period, shared_run
from sharing.views.visits import Visit, page, picture_response, preview_of

THEMES = ("light", "dark")


def first_page(request: HttpRequest, visit: Visit, *, embedded: bool = False) -> HttpResponse:
    """Show the thing, or only its table or figure for a frame on another site."""
    link, kind = visit.link, KINDS[visit.link.target_kind]
    context: dict[str, Any] = {"embedded": embedded}
    preview = None
    if link.figure:
        chart_title = kind.figures(link.target).get(link.figure)
        if chart_title is None:
            raise Http404("The leaderboard's filters now leave this figure out.")
        context["chart"] = (chart_title, f"{visit.base}{kind.figure_path}{link.figure}.json")
    else:
        context["content"] = kind.show(link.target, link, visit.base, request.GET, embedded)
        if visit.is_public and kind.card and not embedded:
            preview = preview_of(kind.card(context["content"]), visit.site, visit.base)
    theme = request.GET.get("theme", "") if embedded else ""
    title = kind.title(link.target)
    context["frame"] = visit.frame(title, theme=theme if theme in THEMES else "", preview=preview)
    return page(f"sharing/{'embed_' if embedded else ''}{link.kind}.html", **context)


def picture(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Return the picture that chats show of a public page."""
    link, kind = visit.link, KINDS[visit.link.target_kind]
    if link.figure or not visit.is_public or kind.card is None:
        raise Http404
    # The query must not change what the picture shows.
    content = kind.show(link.target, link, visit.base, QueryDict(), False)
    return picture_response(request, kind.card(content), link.organization.name)


def figure(request: HttpRequest, visit: Visit, name: str) -> HttpResponse:
    """Return the data of a figure of a leaderboard or a notes analysis, as JSON."""
    link, draw = visit.link, KINDS[visit.link.target_kind].draw
    if draw is None or (link.figure and name != link.figure):
        raise Http404
    # The query must not change what a link to one figure shows.
    view = QueryDict() if link.figure else request.GET
    return JsonResponse(draw(link.target, link.organization, name, view))


def cell(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the scores behind a cell of a leaderboard."""
    link = visit.link
    if link.leaderboard is None or link.figure:
        raise Http404
    content = shared_cell(link.leaderboard, link.organization, request.GET)
    title = f"{content.agent} on {content.environment.lower()} {content.difficulty}"
    return page("sharing/cell.html", content=content, frame=visit.frame(title, (link.leaderboard.name, visit.base)))


def run(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    if visit.link.figure:
        raise Http404
    _, content = _shared_run(visit, number, with_notes=visit.link.with_notes)
    return page("sharing/run.html", content=content, frame=visit.frame(content.title, *_breadcrumbs(visit)))


def run_figure(request: HttpRequest, visit: Visit, number: int, name: str) -> HttpResponse:
    """Return the data of a figure of a run, as JSON."""
    if visit.link.figure and name != visit.link.figure:
        raise Http404
    return JsonResponse(run_chart(_run(visit, number), visit.link.organization, name))


def period(request: HttpRequest, visit: Visit, number: int, index: int) -> HttpResponse:
    """Show notes, calls and outcome of one period, if the link shows notes."""
    visited_run, content = _shared_run(visit, number, with_notes=True)
    frame = visit.frame(f"Period {index}", *_breadcrumbs(visit), (content.title, content.base))
    return page("sharing/period.html", run=content, view=shared_period(visited_run, index), frame=frame)


def notes(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Show the notes of a whole run, if the link shows notes."""
    visited_run, content = _shared_run(visit, number, with_notes=True)
    read = shared_notes(visited_run, whole(request.GET.get("first"), 0))
    frame = visit.frame("Notes of the whole run", *_breadcrumbs(visit), (content.title, content.base))
    return page("sharing/notes.html", run=content, read=read, frame=frame)


def _breadcrumbs(visit: Visit) -> tuple[tuple[str, str], ...]:
    """Return the breadcrumb of the experiment above a run; empty if the link shows a single run."""
    return ((visit.link.experiment.name, visit.base),) if visit.link.experiment is not None else ()


def _shared_run(visit: Visit, number: int, *, with_notes: bool) -> tuple[Run, SharedRun]:
    """Return a run that the link covers. Raises Http404 if `with_notes` is true but the link shows no notes."""
    if with_notes and not visit.link.with_notes:
        raise Http404
    visited_run = _run(visit, number)
    return visited_run, shared_run(visited_run, f"{visit.base}runs/{number}/", with_notes=with_notes)


def _run(visit: Visit, number: int) -> Run:
    """Return the run with this number in the link's experiment, or the link's only run as number 1. Raises Http404."""
    link = visit.link
    if link.experiment is not None:
        return run_numbered(link.experiment, number)
    if link.run is None or number != 1:
        raise Http404
    return link.run
