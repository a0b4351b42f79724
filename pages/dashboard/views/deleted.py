"""Recently deleted things: the list, undo, and permanent deletion."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.deletions import Deletable, DeletableKind, kinds
from accounts.guards import VIEWER
from accounts.pages.requests import MemberRequest
from accounts.services.deletions import row_erase
from infrastructure.text.formats import counted
from pages.dashboard.selectors.deleted import deletables_or_404, deleted_rows
from pages.dashboard.views.actions import refused
from pages.dashboard.views.run_lists import back
from runs.models import Experiment, Run
from runs.services.deletions import PAUSED


@require_safe
def deleted(request: MemberRequest) -> HttpResponse:
    return render(request, "pages/dashboard/deleted.html", {"rows": deleted_rows(member=request.membership)})


@require_POST
def undelete(request: MemberRequest, kind: str, numbers: str) -> HttpResponse:
    """Restore rows, and redirect to the row or to its list. Repeating it changes nothing.

    numbers: keys, separated by commas
    """
    deletable, rows = _deletables(request, kind, [int(number) for number in numbers.split(",")])
    try:
        restored = [row for row in rows if deletable.undelete(row=row, actor=request.user)]
    except ValidationError as error:
        return refused(request, error, "dashboard:deleted")
    if restored:
        names = (
            f"{deletable.word}s {', '.join(map(str, restored))} are"
            if restored[1:]
            else f"{deletable.word} {restored[0]} is"
        )
        messages.success(request, f"The {names} back.{_paused(restored)}")
    return redirect(back(request.POST) if rows[1:] else deletable.address(rows[0]))


@require_POST
def erase(request: MemberRequest, kind: str, pk: int) -> HttpResponse:
    """Delete a row permanently now, although it could still be restored."""
    deletable, (row,) = _deletables(request, kind, [pk])
    if row_erase(kind=deletable, row=row, actor=request.user):
        messages.success(request, f"Deleted the {deletable.word} {row} for good.")
    return redirect("dashboard:deleted")


def _paused(rows: list[Deletable]) -> str:
    """A sentence on how to continue runs that were in play when their experiments were deleted."""
    experiments = [row.pk for row in rows if isinstance(row, Experiment)]
    number = Run.objects.filter(experiment__in=experiments, reason=PAUSED).count()
    return f" {counted(number, 'run is,runs are')} paused; choose Resume to play on." if number else ""


def _deletables(request: MemberRequest, kind: str, keys: list[int]) -> tuple[DeletableKind, list[Deletable]]:
    if kind not in kinds:
        raise Http404("There is nothing of this kind to delete.")
    deletable = kinds[kind]
    if not deletable.is_personal and not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    return deletable, deletables_or_404(member=request.membership, kind=deletable, keys=keys)
