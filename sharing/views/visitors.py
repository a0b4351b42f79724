"""Pages of a link: read-only, without login. All dead links get the same response, and no page leaks the token."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from accounts.guards import public
from accounts.pages.requests import whole
from accounts.secrets import token_hash
from infrastructure.limits import Slots, counted
from infrastructure.transactions import let_go_of_connection
from runs.models import Run
from sharing.kinds import KINDS
from sharing.models import ShareLink
from sharing.selectors import link_of
from sharing.services import share_link_count_view
from sharing.shown.leaderboards import shared_cell
from sharing.shown.runs import SharedRun, run_chart, run_numbered, shared_notes, shared_period, shared_run

View = Callable[..., HttpResponse]

MINUTE = 60
REQUESTS_A_MINUTE = 600
AT_ONCE = 6
"""Limit of concurrent responses per link. A browser requests about as many figures of a page at the same time."""

WAIT_SECONDS = 5.0
GONE = {
    "code": 404,
    "title": "This link is not available",
    "sentence": "The link is expired, revoked or mistyped. Ask the person who sent it for a new one.",
}
BUSY = {
    "code": 429,
    "title": "Too many visitors",
    "sentence": "This link has too many visitors. Wait a minute and reload the page.",
}
_visits = Slots(AT_ONCE)


@dataclass(frozen=True)
class Frame:
    """The frame around the content of a page.

    `base` is the address of the link's first page. `breadcrumbs` are (title, address) of the pages above this one.
    """

    organization: str
    title: str
    base: str
    breadcrumbs: tuple[tuple[str, str], ...] = ()
    theme: str = ""


@dataclass(frozen=True)
class Visit:
    """A request with the token of a live link."""

    link: ShareLink
    token: str

    @property
    def base(self) -> str:
        return reverse("sharing:shared", args=[self.token])

    def frame(self, title: str, *breadcrumbs: tuple[str, str], theme: str = "") -> Frame:
        return Frame(self.link.organization.name, title, self.base, breadcrumbs, theme)


def visited(view: View) -> View:
    """Decorator that calls the view with a Visit.

    All dead or unknown links, and addresses that a link does not cover, get the same response.
    """

    @public
    @require_safe
    @wraps(view)
    def answered(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
        name = token_hash(token)
        if counted(f"link:{name}", MINUTE) > REQUESTS_A_MINUTE:
            return _refused(BUSY, MINUTE - int(time.time()) % MINUTE)
        # A visitor who waits for a slot must not hold a database connection.
        let_go_of_connection()
        slot = _visits.take(name, wait_seconds=WAIT_SECONDS)
        if slot is None:
            return _refused(BUSY, int(WAIT_SECONDS))
        try:
            link = link_of(token)
            if link is None:
                return _refused(GONE)
            return _quiet(view(request, Visit(link, token), **kwargs), link.is_public)
        except Http404:
            return _refused(GONE)
        finally:
            slot.release()

    return answered


def _refused(reason: dict[str, Any], retry_seconds: int = 0) -> HttpResponse:
    response = HttpResponse(render_to_string("sharing/refused.html", reason), status=reason["code"])
    if retry_seconds:
        response["Retry-After"] = str(retry_seconds)
    return _quiet(response, False)


def framed(view: View) -> View:
    """Decorator that lets any site show the page in a frame. All other pages forbid frames."""
    return cast(View, xframe_options_exempt(csp_replace({"frame-ancestors": ["*"]})(view)))


def page(template: str, **context: Any) -> HttpResponse:
    """Render a page without the request, so that no context processor adds a signed-in user."""
    return HttpResponse(render_to_string(template, context))


def _quiet(response: HttpResponse, is_public: bool) -> HttpResponse:
    response["Referrer-Policy"] = "no-referrer"
    # Public pages are revalidated each time too, so that revoking takes effect at once.
    response["Cache-Control"] = "public, no-cache" if is_public else "private, no-store"
    if not is_public:
        response["X-Robots-Tag"] = "noindex"
    return response


THEMES = ("light", "dark")


@visited
def shared(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the first page of a link: the shared thing."""
    return _first_page(request, visit, embedded=False)


@framed
@visited
def embed(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the table or figure alone, for a frame on another site."""
    return _first_page(request, visit, embedded=True)


def _first_page(request: HttpRequest, visit: Visit, *, embedded: bool) -> HttpResponse:
    response = HttpResponse(first_page(visit, request.GET, embedded=embedded))
    if request.method == "GET":
        share_link_count_view(link=visit.link)
    return response


def first_page(visit: Visit, query: QueryDict, *, embedded: bool) -> str:
    """The HTML of the first page of a link. Raises Http404 if its figure no longer exists."""
    link, kind = visit.link, KINDS[visit.link.target_kind]
    context: dict[str, Any] = {"embedded": embedded}
    if link.figure:
        chart_title = kind.figures(link.target).get(link.figure)
        if chart_title is None:
            raise Http404("The leaderboard's filters now leave this figure out.")
        context["chart"] = (chart_title, f"{visit.base}{kind.figure_path}{link.figure}.json")
    else:
        context["content"] = kind.show(link.target, link, visit.base, query, embedded)
    theme = query.get("theme", "") if embedded else ""
    context["frame"] = visit.frame(kind.title(link.target), theme=theme if theme in THEMES else "")
    return render_to_string(f"sharing/{'embed_' if embedded else ''}{link.kind}.html", context)


@visited
def figure(request: HttpRequest, visit: Visit, name: str) -> HttpResponse:
    """Return the data of a figure of a leaderboard or a notes analysis, as JSON."""
    link, draw = visit.link, KINDS[visit.link.target_kind].draw
    if draw is None or (link.figure and name != link.figure):
        raise Http404
    # The query must not change what a link to one figure shows.
    view = QueryDict() if link.figure else request.GET
    return JsonResponse(draw(link.target, link.organization, name, view))


@visited
def cell(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the scores behind a cell of a leaderboard."""
    link = visit.link
    if link.leaderboard is None or link.figure:
        raise Http404
    content = shared_cell(link.leaderboard, link.organization, request.GET)
    title = f"{content.agent} on {content.environment.lower()} {content.difficulty}"
    return page("sharing/cell.html", content=content, frame=visit.frame(title, (link.leaderboard.name, visit.base)))


@visited
def run(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    if visit.link.figure:
        raise Http404
    _, content = _shared_run(visit, number, with_notes=visit.link.with_notes)
    return page("sharing/run.html", content=content, frame=visit.frame(content.title, *_breadcrumbs(visit)))


@visited
def run_figure(request: HttpRequest, visit: Visit, number: int, name: str) -> HttpResponse:
    """Return the data of a figure of a run, as JSON."""
    if visit.link.figure and name != visit.link.figure:
        raise Http404
    return JsonResponse(run_chart(_run(visit, number), visit.link.organization, name))


@visited
def period(request: HttpRequest, visit: Visit, number: int, index: int) -> HttpResponse:
    """Show notes, calls and outcome of one period, if the link shows notes."""
    visited_run, content = _shared_run(visit, number, with_notes=True)
    frame = visit.frame(f"Period {index}", *_breadcrumbs(visit), (content.title, content.base))
    return page("sharing/period.html", run=content, view=shared_period(visited_run, index), frame=frame)


@visited
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
