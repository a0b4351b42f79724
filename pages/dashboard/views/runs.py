"""The run page: figures, chart, the inspector of one period, notes, a period as a file, and the hidden values."""

from contextlib import suppress
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, period_problem, typed, whole
from accounts.services.people import run_opened
from games.registry import parts_of
from pages.dashboard.selectors.runs import page as run_page
from pages.dashboard.selectors.runs import periods as reading
from pages.dashboard.selectors.runs.calls import player
from pages.dashboard.views.actions import json_file, live, of_open_run, of_run
from pages.dashboard.views.run_lists import report_action, runs_context
from runs.findings.selectors import run_report
from runs.models import Run
from runs.selectors.experiments import run_title
from runs.services.budgets import run_set_budget
from runs.services.control import runs_control
from runs.transcripts import period_transcripts
from workspace.discussion.selectors.comments import discussion_of
from workspace.discussion.services.comments import MAX_TEXT
from workspace.spending.views import take_budget
from workspace.transfer.selectors import import_source

TABS = ("notes", "transcript", "raw", "comments")


@require_GET
def runs(request: MemberRequest) -> HttpResponse:
    """All runs of the organization, newest first. The counts on the home page link here."""
    return render(
        request,
        "pages/dashboard/runs.html",
        runs_context(request, Run.objects.without_games().filter(organization=request.organization), "-number"),
    )


@vary_on_headers("HX-Request")
@of_run
def run_detail(request: MemberRequest, run: Run, index: int | None = None) -> HttpResponse:
    """The run page with one period open: the requested one, else the current one of an active run, else the last one.

    Without a requested period, the panel follows the run to its next period.
    """
    if run.instance.is_sealed:
        return render(request, "pages/dashboard/run_sealed.html", {"run": run, "title": run_title(run)})
    run_opened(user=request.user)
    if index is None and "period" in request.GET:
        if problem := period_problem(request.GET["period"], run.periods - 1):
            messages.error(request, problem)
        requested_index = whole(request.GET["period"], -1)
        if requested_index < 0:
            return redirect("dashboard:run", run.pk)
        return redirect("dashboard:period", run.pk, min(requested_index, run.periods - 1))
    if index is not None and index >= run.periods:
        raise Http404("A run has no such period.")
    playing = run_page.in_play(run)
    newest = max(0, run.periods_played - 1) if playing is None else playing
    open_index = newest if index is None else index
    partial = bool(request.htmx and not request.htmx.history_restore_request)
    polled = request.GET.get("version") if partial else None
    version = _version(run) + run_page.calls_version(run)
    if polled == version:
        return HttpResponse(status=204)
    everything = request.GET.get("comments") == "all"
    discussion = discussion_of(
        run=run, period=open_index, reader=request.membership, with_run=not partial, everything=everything
    )
    context = {"run": run, "discussion": discussion, "most": MAX_TEXT, "everything": everything}
    context |= {"follows": index is None and playing is not None, "period_version": version}
    context |= _period(request, run, open_index, playing)
    if partial:
        response = render(request, "pages/dashboard/_period.html", context | {"partial": True})
        return response if polled else _pushing(request, response)
    if run.imported:
        context |= import_source(run)
    return render(request, "pages/dashboard/run.html", context | _head(run))


def _pushing(request: MemberRequest, response: HttpResponse) -> HttpResponse:
    """Make htmx show the period's address in the address bar, unless it is there already."""
    with suppress(ValueError):  # a header such as 'http://[x' is not an address
        if request.htmx.current_url_abs_path == request.get_full_path():
            return response
    response.headers["HX-Push-Url"] = request.get_full_path()
    return response


@of_open_run
def run_live(request: MemberRequest, run: Run) -> HttpResponse:
    """Title line and figures of a run in play; 204 if nothing changed."""
    return live(request, "pages/dashboard/_run_live.html", {"run": run} | _head(run))


def _head(run: Run) -> dict[str, Any]:
    presenter, health = parts_of(run.instance.environment).presenter, run_page.run_health(run)
    return {
        "head": run_page.run_head(run),
        "version": f"{_version(run)}.{health.version}",
        "has_calls": run_page.has_calls(run),
        "chart_title": presenter.chart_title,
        "chart_heights": presenter.chart_heights(run),
        "plane_title": presenter.plane_title,
        "health": health,
        "one_run": True,
    }


def _version(run: Run) -> str:
    """A text that changes with every call sent or answered, every period and every wait."""
    wait = f"{run.wake_at:%s}" if run.wake_at else ""
    return f"{run.state}{wait}.{run.periods_played}.{run.queries}.{run.stop_request}.{run.reserved_nano}"


def _period(request: MemberRequest, run: Run, index: int, playing: int | None) -> dict[str, Any]:
    tab = request.GET.get("tab", "notes")
    tab = tab if tab in TABS else TABS[0]
    last, view = run_page.last_index(run), reading.period_view(run, index)
    context: dict[str, Any] = {
        "view": view,
        "tab": tab,
        "previous": index - 1 if index else None,
        "next": index + 1 if index < last else None,
        "last": last,
        "jumps": parts_of(run.instance.environment).presenter.jumps(run_page.qualities(run)),
        "retried": run_page.retried_periods(run),
        "report": run_report(run),
        # A waiting panel is reloaded every few seconds, which would discard a typed comment.
        "is_waiting": not view.is_played and run.is_active and tab != "comments",
        "in_play": playing,
    }
    if tab == "transcript" and index <= run.periods_played and run.instance.reference is not None:
        by_seat = period_transcripts(run, index)
        context["transcripts"] = [
            {"seat": player(run, seat) if len(by_seat) > 1 else "", "transcript": transcript}
            for seat, transcript in by_seat.items()
        ]
    if tab == "raw":
        context["raw"] = reading.period_json(run, index)
    return context


@editor_required
@require_POST
@of_run
def run_act(request: MemberRequest, run: Run, action: str) -> HttpResponse:
    report_action(request, action, runs_control(runs=Run.objects.filter(pk=run.pk), action=action, user=request.user))
    return redirect("dashboard:run", run.pk)


@editor_required
@require_POST
@of_run
def set_budget(request: MemberRequest, run: Run) -> HttpResponse:
    return take_budget(request, "The budget of this run", partial(run_set_budget, run=run), "dashboard:run", run.pk)


@of_open_run
def period_download(request: MemberRequest, run: Run, index: int) -> HttpResponse:
    data = reading.period_json(run, index)
    if data is None:
        raise Http404("This period has not been played.")
    return json_file(data, f"run-{run.pk}-period-{index}.json", indent=2)


@of_open_run
def notes(request: MemberRequest, run: Run) -> HttpResponse:
    """All notes of the run, page by page, or those that contain a text."""
    search_text = typed(request.GET, "text")
    first = min(whole(request.GET.get("first"), 0), run.periods - 1) // reading.NOTES_A_PAGE * reading.NOTES_A_PAGE
    context: dict[str, Any] = {"run": run, "head": run_page.run_head(run), "search_text": search_text, "first": first}
    if search_text:
        hits = run_page.notes_with(run, search_text)
        context |= {"hits": hits, "sentence": run_page.hits_sentence(hits, search_text)}
    else:
        page = reading.notes_page(run, first)
        context |= {"notes": page, "players": len({note.player for note in page}), "pages": reading.note_ranges(run)}
    return render(request, "pages/dashboard/notes.html", context)


@of_open_run
def run_note_strip(request: MemberRequest, run: Run) -> HttpResponse:
    """The changes of the notes, one cell per period; 204 if no period was played since the given version."""
    if run.is_active and request.GET.get("version") == str(run.periods_played):
        return HttpResponse(status=204)
    return render(request, "pages/dashboard/_note_strip.html", {"run": run, "strips": reading.note_strip(run)})


@vary_on_headers("HX-Request")
@of_open_run
def hidden(request: MemberRequest, run: Run) -> HttpResponse:
    """The hidden parameters and the optimum of the instance, loaded on demand."""
    presenter = parts_of(run.instance.environment).presenter
    sections = presenter.hidden(run.instance) if run.instance.reference is not None else []
    return render(
        request,
        "pages/dashboard/_hidden.html" if request.htmx else "pages/dashboard/hidden.html",
        {"run": run, "sections": sections, "head": run_page.run_head(run)},
    )
