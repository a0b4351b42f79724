from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from infrastructure.text.formats import counted
from runs.selectors.experiments import experiment_or_404
from runs.stages.services import comparison_continue


@editor_required
@require_POST
def continue_all(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """Let all stages play without further looks."""
    experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    try:
        queued = comparison_continue(experiment=experiment, user=request.user)
        messages.success(request, f"Queued {counted(queued, 'run,runs')} of later stages.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("dashboard:experiment", experiment.pk)
