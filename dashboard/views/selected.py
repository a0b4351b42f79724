"""What a person does with the ticked runs of a list."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponseBase
from django.http.request import QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from accounts.guards import VIEWER
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed, whole
from dashboard.views.responses import SENTENCES, back, report_action
from discussion.services.tags import tag_add
from discussion.subjects import Subject
from infrastructure.text.formats import counted
from runs.models import Run
from runs.services import runs_control
from transfer.views.exports import send_file
from transfer.writing.selection import Selection

MOST_TICKED = 1000


@require_POST
def runs_selected(request: MemberRequest) -> HttpResponseBase:
    """Compare or export the ticked runs; editors also pause, resume, cancel, retry or tag them."""
    ticked = _ticked(request.POST)
    # Enter presses no button of its own.
    action = typed(request.POST, "action") or ("tag" if typed(request.POST, "tag") else "compare")
    if not ticked:
        messages.error(request, "Tick the runs first.")
        return redirect(back(request.POST))
    if action == "compare":
        return redirect(f"{reverse('analysis:compare-runs')}?{urlencode({'run': ticked}, doseq=True)}")
    if action == "export":
        return send_file(request, Selection(request.organization, ticked=ticked), "csv")
    if not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    runs = Run.objects.filter(organization=request.organization, pk__in=ticked)
    if action in SENTENCES:
        report_action(request, action, runs_control(runs=runs, action=action, user=request.user))
    elif action == "tag":
        _tag(request, list(runs))
    return redirect(back(request.POST))


def _ticked(posted: QueryDict) -> tuple[int, ...]:
    numbers = (whole(text, 0) for text in posted.getlist("run")[:MOST_TICKED])
    return tuple(number for number in numbers if number)


def _tag(request: MemberRequest, runs: list[Run]) -> None:
    name = typed(request.POST, "tag")
    try:
        for run in runs:
            tag_add(subject=Subject(run), name=name, user=request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"Tagged {counted(len(runs), 'run,runs')} with {name}.")
