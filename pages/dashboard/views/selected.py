"""What a person does with the ticked rows of a list of runs or of experiments."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.http.request import QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from accounts.guards import VIEWER
from accounts.pages.requests import MemberRequest, report_deleted, typed, whole
from infrastructure.text.formats import counted
from pages.dashboard.views.responses import SENTENCES, back, report_action
from runs.models import Experiment, Run
from runs.services.control import runs_control
from runs.services.deletions import experiment_delete
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject
from workspace.transfer.views.exports import send_file
from workspace.transfer.writing.selection import Selection

MOST_TICKED = 1000


@require_POST
def runs_selected(request: MemberRequest) -> HttpResponseBase:
    """Compare or export the ticked runs; editors also pause, resume, cancel, retry or tag them."""
    ticked = _ticked(request.POST, "run")
    # Enter presses no button of its own.
    action = typed(request.POST, "action") or ("tag" if typed(request.POST, "tag") else "compare")
    if ticked and action == "compare":
        return redirect(f"{reverse('analysis:compare-runs')}?{urlencode({'run': ticked}, doseq=True)}")
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
    action = typed(request.POST, "action") or "tag"
    experiments = Experiment.objects.filter(organization=request.organization, pk__in=ticked)
    runs = Run.objects.filter(organization=request.organization, experiment__in=ticked)
    return _change(request, action, experiments, runs, "experiment,experiments")


def _ticked(posted: QueryDict, name: str) -> tuple[int, ...]:
    numbers = (whole(text, 0) for text in posted.getlist(name)[:MOST_TICKED])
    return tuple(number for number in numbers if number)


def _nothing_ticked(request: MemberRequest, noun: str) -> HttpResponseBase:
    messages.error(request, f"Tick the {noun} first.")
    return redirect(back(request.POST))


def _change(
    request: MemberRequest, action: str, rows: QuerySet[Run] | QuerySet[Experiment], runs: QuerySet[Run], nouns: str
) -> HttpResponseBase:
    """What only editors do. nouns: 'run,runs' or 'experiment,experiments', what the rows are"""
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
