"""The run page: figures, chart, the inspector of one period."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import period_problem, whole
from dashboard.presenters import presenter_of
from dashboard.selectors.runs import page as run_page
from dashboard.selectors.runs.calls import player
from dashboard.selectors.runs.periods import period_json, period_view
from dashboard.views.responses import report_action, runs_context
from discussion.selectors.comments import discussion_of
from discussion.services.comments import MAX_TEXT
from findings.selectors import run_report
from runs.models import Run
from runs.selectors.runs import open_run_or_404, run_or_404, run_title
from runs.services import run_set_budget, runs_control
from runs.transcripts import period_transcripts
from spending.views.spend import take_budget
from transfer.selectors.imports import import_source

TABS = ("notes", "transcript", "raw", "comments")


@require_GET
def runs(request: MemberRequest) -> HttpResponse:
    """All runs of the organization, newest first. The counts on the home page link here."""
    runs = Run.objects.filter(organization=request.organization)
    return render(request, "dashboard/runs.html", runs_context(request, runs, "-number"))


@vary_on_headers("HX-Request")
def run(request: MemberRequest, run_id: int, index: int | None = None) -> HttpResponse:
    """The run page with one period open: the requested one, else the one in play or the last played.

    Without a number the panel goes on to the next period as the run does.
    """
    found = run_or_404(organization=request.organization, run_id=run_id)
    if found.instance.is_sealed:
        return render(request, "dashboard/run_sealed.html", {"run": found, "title": run_title(found)})
    if index is None and "period" in request.GET:
        if problem := period_problem(request.GET["period"], found.periods - 1):
            messages.error(request, problem)
        asked = whole(request.GET["period"], -1)
        if asked < 0:
            return redirect("runs:run", found.pk)
        return redirect("runs:period", found.pk, min(asked, found.periods - 1))
    if index is not None and index >= found.periods:
        raise Http404("A run has no such period.")
    playing = run_page.in_play(found)
    follows = index is None and playing is not None
    chosen = index
    if chosen is None:
        chosen = max(0, found.periods_played - 1) if playing is None else playing
    partial = bool(request.htmx and not request.htmx.history_restore_request)
    polled = request.GET.get("version") if partial else None
    version = _version(found) + run_page.calls_version(found)
    if polled == version:
        return HttpResponse(status=204)
    everything = request.GET.get("comments") == "all"
    discussion = discussion_of(
        run=found, period=chosen, reader=request.membership, with_run=not partial, everything=everything
    )
    context = {"run": found, "discussion": discussion, "most": MAX_TEXT, "everything": everything, "follows": follows}
    context |= _period(request, found, chosen) | {"period_version": version}
    if partial:
        response = render(request, "dashboard/_period.html", context | {"partial": True})
        return response if polled else _pushing(request, response)
    if found.imported:
        context |= import_source(found)
    return render(request, "dashboard/run.html", context | _head(found))


def _pushing(request: MemberRequest, response: HttpResponse) -> HttpResponse:
    """Put the address of the period into the browser, unless it is there already."""
    here = request.get_full_path()
    try:
        current = request.htmx.current_url_abs_path
    except ValueError:  # a header such as 'http://[x' is not an address
        current = None
    if current != here:
        response.headers["HX-Push-Url"] = here
    return response


def run_live(request: MemberRequest, run_id: int) -> HttpResponse:
    """Title line and figures of a run that is being played; 204 if nothing changed."""
    found = open_run_or_404(organization=request.organization, run_id=run_id)
    head = _head(found)
    if request.GET.get("version") == head["version"]:
        return HttpResponse(status=204)
    return render(request, "dashboard/_run_live.html", {"run": found} | head)


def _head(found: Run) -> dict[str, Any]:
    presenter, health = presenter_of(found.instance.environment), run_page.run_health(found)
    return {
        "head": run_page.run_head(found),
        "version": f"{_version(found)}.{health.version}",
        "has_calls": run_page.has_calls(found),
        "chart_title": presenter.chart_title,
        "chart_heights": presenter.chart_heights(found),
        "plane_title": presenter.plane_title,
        "health": health,
        "one_run": True,
    }


def _version(found: Run) -> str:
    """A text that changes with every call sent or answered, with every period and with every wait."""
    wait = f"{found.wake_at:%s}" if found.wake_at else ""
    return f"{found.state}{wait}.{found.periods_played}.{found.queries}.{found.stop_request}.{found.reserved_nano}"


def _period(request: MemberRequest, found: Run, index: int) -> dict[str, Any]:
    tab = request.GET.get("tab", "notes")
    last = run_page.last_index(found)
    context: dict[str, Any] = {
        "view": period_view(found, index),
        "tab": tab if tab in TABS else TABS[0],
        "previous": index - 1 if index else None,
        "next": index + 1 if index < last else None,
        "last": last,
        "jumps": presenter_of(found.instance.environment).jumps(run_page.qualities(found)),
        "retried": run_page.retried_periods(found),
        "report": run_report(found),
    }
    # A waiting panel is reloaded every few seconds, so it must not hold a comment form.
    context["is_waiting"] = not context["view"].is_played and found.is_active and context["tab"] != "comments"
    context["in_play"] = run_page.in_play(found)
    has_begun = index <= found.periods_played and found.instance.reference is not None
    if context["tab"] == "transcript" and has_begun:
        by_seat = period_transcripts(found, index)
        seats = {seat: player(found, seat) if len(by_seat) > 1 else "" for seat in by_seat}
        context["transcripts"] = [{"seat": seats[seat], "transcript": one} for seat, one in by_seat.items()]
    if context["tab"] == "raw":
        context["raw"] = period_json(found, index)
    return context


@editor_required
@require_POST
def run_act(request: MemberRequest, run_id: int, action: str) -> HttpResponse:
    found = run_or_404(organization=request.organization, run_id=run_id)
    chosen = Run.objects.filter(pk=found.pk)
    report_action(request, action, runs_control(runs=chosen, action=action, user=request.user))
    return redirect("runs:run", found.pk)


@editor_required
@require_POST
def set_budget(request: MemberRequest, run_id: int) -> HttpResponse:
    found = run_or_404(organization=request.organization, run_id=run_id)
    return take_budget(request, "The budget of this run", partial(run_set_budget, run=found), "runs:run", found.pk)
