"""Lists of runs and experiments: page fragments, saved views, and actions on ticked rows."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_http_methods, require_POST

from accounts.guards import VIEWER
from accounts.pages.requests import MemberRequest, posted, report_deleted, submit, typed, whole
from environments.registry import RULES_BY_KEY
from infrastructure.text.formats import counted
from pages.dashboard.models import RunView
from pages.dashboard.selectors.runs import list as run_lists
from pages.dashboard.selectors.runs.list import list_query, removable, run_view_or_404
from pages.dashboard.services import MOST_NAME, run_view_change, run_view_delete, run_view_save
from pages.dashboard.views.actions import done, refused, saved
from runs.models import Experiment, Run
from runs.services.control import runs_control
from runs.services.deletions import experiment_delete
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject
from workspace.transfer.views import send_file
from workspace.transfer.writing.selection import Selection

PAGES_OF_RUNS = {"compare": "analysis:compare-runs", "ask": "questions:new"}
"""The page that an action opens for the ticked runs."""

SENTENCES = {
    "pause": "Pausing {}. A running run stops after its current model call.",
    "resume": "Resumed {}.",
    "cancel": "Cancelled {}. Played periods are kept.",
    "retry": "Queued {} again. A run continues after its last played period.",
}


def report_action(request: MemberRequest, action: str, number: int, where: str = "") -> None:
    """Tell the reader how many runs an action changed. action: a key of SENTENCES"""
    changed = SENTENCES[action].format(counted(number, "run,runs") + where)
    messages.success(request, changed if number else "Nothing changed: no run allows this now.")


def runs_context(request: MemberRequest, runs: QuerySet[Run], default: str) -> dict[str, Any]:
    """The context of a table of runs. The query string has filters, order and columns. default: the default order"""
    filters = {key: typed(request.GET, key) for key in run_lists.FILTERS}
    columns, query = run_lists.chosen_columns(request.GET), run_lists.list_query(request.GET)
    sort = typed(request.GET, "sort")
    options: dict[str, Any] = {"filters": filters, "sort": sort or default, "page": request.GET.get("page", 1)}
    page, numbers = run_lists.run_list(runs, reader=request.user, **options)
    same = {} if "columns" in request.GET else run_lists.same_in_all(list(page.object_list), options["sort"])
    return {
        "page": page,
        "runs": numbers,
        "filters": filters | {"sort": sort},
        "sort": sort or default,
        "states": run_lists.state_choices(filters["state"]),
        "rules": RULES_BY_KEY.values(),
        "columns": columns,
        "same": same,
        "all_columns": run_lists.LIST_COLUMNS,
        "columns_query": run_lists.columns_query(columns),
        "list_query": query,
        "removable": run_lists.removable(query),
        "views": run_lists.run_views(member=request.membership),
    }


def back(data: QueryDict) -> str:
    """The address of the list that a form or link came from, from its field `back`; else the list of all runs."""
    address = data.get("back", "")
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else reverse("dashboard:runs")


MOST_TICKED = 1000


@require_POST
def runs_selected(request: MemberRequest) -> HttpResponseBase:
    """Compare or export the ticked runs; editors also ask about, pause, resume, cancel, retry or tag them."""
    ticked = _ticked(request.POST, "run")
    # If the form is sent by the Enter key, no button names the action.
    action = typed(request.POST, "action") or ("tag" if typed(request.POST, "tag") else "compare")
    if ticked and action in PAGES_OF_RUNS:
        return redirect(f"{reverse(PAGES_OF_RUNS[action])}?{urlencode({'run': ticked}, doseq=True)}")
    if ticked and action == "export":
        return send_file(request, Selection(request.organization, ticked=ticked), "csv")
    runs = Run.objects.filter(organization=request.organization, pk__in=ticked)
    return _change(request, action, runs, runs, "run,runs") if ticked else _nothing_ticked(request, "runs")


@require_POST
def experiments_selected(request: MemberRequest) -> HttpResponseBase:
    """Delete or tag the ticked experiments, or pause, resume, cancel or retry their runs."""
    ticked = _ticked(request.POST, "experiment")
    if not ticked:
        return _nothing_ticked(request, "experiments")
    return _change(
        request,
        typed(request.POST, "action") or "tag",
        Experiment.objects.filter(organization=request.organization, pk__in=ticked),
        Run.objects.filter(organization=request.organization, experiment__in=ticked),
        "experiment,experiments",
    )


def _ticked(posted: QueryDict, name: str) -> tuple[int, ...]:
    numbers = (whole(text, 0) for text in posted.getlist(name)[:MOST_TICKED])
    return tuple(number for number in numbers if number)


def _nothing_ticked(request: MemberRequest, noun: str) -> HttpResponseBase:
    return refused(request, f"Tick the {noun} first.", back(request.POST))


def _change(
    request: MemberRequest, action: str, rows: QuerySet[Run] | QuerySet[Experiment], runs: QuerySet[Run], nouns: str
) -> HttpResponseBase:
    """Perform an action that only editors may do. nouns: 'run,runs' or 'experiment,experiments', the kind of the rows"""
    if not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    if action in SENTENCES:
        report_action(request, action, runs_control(runs=runs, action=action, user=request.user))
    elif action == "tag":
        _tag(request, rows, nouns)
    elif action == "delete" and rows.model is Experiment:
        _delete(request, rows)
    return redirect(back(request.POST))


def _tag(request: MemberRequest, rows: QuerySet[Run] | QuerySet[Experiment], nouns: str) -> None:
    name = typed(request.POST, "tag")
    try:
        for row in rows:
            tag_add(subject=Subject(row), name=name, user=request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"Tagged {counted(len(rows), nouns)} with {name}.")


def _delete(request: MemberRequest, experiments: QuerySet[Experiment]) -> None:
    deleted = [experiment for experiment in experiments if experiment_delete(experiment=experiment, actor=request.user)]
    if deleted:
        label = counted(len(deleted), "experiment,experiments")
        report_deleted(request, f"Deleted {label} with all their runs.", "experiment", *deleted)


class RunViewForm(forms.Form):
    """The form of a saved view's name. Its filters are those of the list."""

    name = forms.CharField(
        max_length=MOST_NAME,
        error_messages={
            "required": "Give the view a name.",
            "max_length": f"A name has at most {MOST_NAME} characters.",
        },
    )
    is_shared = forms.BooleanField(required=False, label="Every member of the organization sees it")


@require_http_methods(["GET", "POST"])
def view_new(request: MemberRequest) -> HttpResponse:
    """Save the filters, order and columns of the query string under a name."""
    query = list_query(request.GET)
    form = RunViewForm(posted(request))
    if view := submit(form, run_view_save, organization=request.organization, user=request.user, query=query):
        return done(request, f"Saved the view {view.name}.", f"{back(request.GET)}?{query}")
    return _page(request, form, query)


@require_http_methods(["GET", "POST"])
def view_edit(request: MemberRequest, view_id: int) -> HttpResponse:
    view = run_view_or_404(member=request.membership, view_id=view_id)
    name = view.name
    form = RunViewForm(posted(request), initial={"name": name, "is_shared": view.is_shared})
    if saved(form, run_view_change, view=view):
        return done(request, f"Saved the view {view.name}.", f"{back(request.GET)}?{view.query}")
    view.name = name
    return _page(request, form, view.query, view)


def _page(request: MemberRequest, form: RunViewForm, query: str, view: RunView | None = None) -> HttpResponse:
    return render(
        request,
        "pages/dashboard/run_view.html",
        {
            "form": form,
            "view": view,
            "back": f"{back(request.GET)}?{query}",
            "labels": [label for label, _ in removable(query)],
        },
        status=422 if form.is_bound else 200,
    )


@require_POST
def view_delete(request: MemberRequest, view_id: int) -> HttpResponse:
    view = run_view_or_404(member=request.membership, view_id=view_id)
    run_view_delete(view=view, actor=request.user)
    report_deleted(request, f"Deleted the view {view.name}.", "view", view)
    return redirect("dashboard:runs")
