"""Experiments: the list, one experiment, what can be done to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed, whole
from dashboard.selectors.experiments import STATE_FILTERS, experiment_page, experiments_of
from dashboard.selectors.hindsight import comparisons
from dashboard.selectors.matrix import matrix
from dashboard.selectors.run_list import run_list, state_choices
from dashboard.selectors.scores import score_table
from discussion.selectors.comments import Annotations
from discussion.selectors.tags import offered_tags, tags_of
from discussion.subjects import Subject
from environments.registry import LITMUS_TESTS
from infrastructure.money import nano
from infrastructure.text.formats import counted
from runs.launching.again import request_as_curl, spec_as_command, spec_as_request
from runs.models import Experiment, Run
from runs.selectors.cells import paused_by_budget, progress_of_cells, run_cells
from runs.selectors.experiments import experiment_or_404
from runs.selectors.health import stalls
from runs.selectors.wait_reasons import reasons, seconds_left
from runs.services import (
    experiment_cancel,
    experiment_delete,
    experiment_pause,
    experiment_rename,
    experiment_resume,
    experiment_retry,
    experiment_set_budget,
)
from spending.forms import BudgetForm
from spending.views.spend import budget_changed

ACTIONS = {
    "pause": (experiment_pause, "Pausing {}. A run in play stops after its current model call."),
    "resume": (experiment_resume, "Resumed {}."),
    "cancel": (experiment_cancel, "Cancelled {}. Periods already played are kept."),
    "retry": (experiment_retry, "{} queued again. They go on from the last period played."),
}


def experiments(request: MemberRequest) -> HttpResponse:
    asked = {key: typed(request.GET, key) for key in ("text", "state", "sort")}
    sort, tag = asked["sort"] or "-created", whole(request.GET.get("tag"), 0) or None
    page = experiment_page(
        organization=request.organization,
        text=asked["text"],
        state=asked["state"],
        tag=tag,
        sort=sort,
        page=request.GET.get("page"),
    )
    offered = offered_tags(request.organization)
    filtered = bool(asked["text"] or asked["state"] or tag)
    context = {
        "page": page,
        "total": experiments_of(organization=request.organization).count() if filtered else page.paginator.count,
        "asked": asked,
        "sort": sort,
        "states": STATE_FILTERS,
        "tags": offered,
        "tag_is_gone": tag is not None and all(item.pk != tag for item in offered),
        "tag": tag,
        "filtered": filtered,
    }
    return render(request, "dashboard/experiments.html", context)


def experiment(request: MemberRequest, experiment_id: int) -> HttpResponse:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    has_litmus = not set(LITMUS_TESTS).isdisjoint(found.spec.get("environments", ()))
    subject = Subject(found)
    own = {
        "has_litmus": has_litmus,
        "annotations": Annotations(subject, tags_of(subject)),
        "again": _again(request, found),
    }
    return render(request, "dashboard/experiment.html", _live(found) | _runs(request, found) | own)


def _again(request: MemberRequest, found: Experiment) -> dict[str, str]:
    """The launch as a command line and as a call of the API; nothing where it was stored by something else."""
    if found.spec.get("imported") or not {"environments", "difficulties", "seeds", "agents"} <= set(found.spec):
        return {}
    launched = (found.spec, found.name, found.budget_nano)
    address = request.build_absolute_uri(reverse("api-v1:launch_experiment"))
    call = request_as_curl(spec_as_request(*launched), address, f"again-{found.pk}")
    return {"command": spec_as_command(*launched), "call": call}


def experiment_live(request: MemberRequest, experiment_id: int) -> HttpResponse:
    """The parts that move while runs are played; 204 where nothing has moved since the last time."""
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    live = _live(found)
    if request.GET.get("version") == live["version"]:
        return HttpResponse(status=204)
    return render(request, "dashboard/_experiment_live.html", live)


def _live(found: Experiment) -> dict[str, Any]:
    cells = run_cells(found)
    progress = progress_of_cells(cells)
    health = stalls(cells)
    counts = ".".join(f"{k}{n}" for k, n in sorted(progress.counts.items()))
    money = f"{found.cost_nano}.{found.reserved_nano}.{found.budget_nano}.{found.alerted_percent}"
    version = f"{progress.played}.{money}.{counts}.{health.version}"
    return {
        "experiment": found,
        "progress": progress,
        "blocks": matrix(cells),
        "scores": score_table(cells),
        "reasons": reasons(found),
        "seconds_left": seconds_left(cells),
        "health": health,
        "budget_paused": paused_by_budget(cells),
        "comparisons": comparisons(found, progress),
        "version": version,
    }


def _runs(request: MemberRequest, found: Experiment) -> dict[str, Any]:
    asked = {key: typed(request.GET, key) for key in ("text", "state", "sort")}
    sort = asked["sort"] or "instance"
    runs = run_list(
        Run.objects.filter(experiment=found),
        reader=request.user,
        text=asked["text"],
        state=asked["state"],
        sort=sort,
        page=request.GET.get("page"),
    )
    return {"page": runs.page, "runs": runs, "asked": asked, "sort": sort, "states": state_choices()}


@editor_required
@require_POST
def experiment_act(request: MemberRequest, experiment_id: int, action: str) -> HttpResponse:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    act, sentence = ACTIONS[action]
    number = act(experiment=found, user=request.user)
    said = sentence.format(counted(number, "run,runs")) if number else "There was no run left to do that to."
    messages.success(request, said)
    return redirect("runs:experiment", found.pk)


@editor_required
@require_POST
def rename(request: MemberRequest, experiment_id: int) -> HttpResponse:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    try:
        experiment_rename(experiment=found, name=typed(request.POST, "name"))
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("runs:experiment", found.pk)


@editor_required
@require_POST
def set_budget(request: MemberRequest, experiment_id: int) -> HttpResponse:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget = nano(form.cleaned_data["budget"])
        resumed = experiment_set_budget(experiment=found, budget_nano=budget, actor=request.user)
        messages.success(request, budget_changed("The budget of this experiment", budget, resumed))
    else:
        messages.error(request, form.errors["budget"][0])
    return redirect("runs:experiment", found.pk)


@editor_required
@require_POST
def delete(request: MemberRequest, experiment_id: int) -> HttpResponse:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    experiment_delete(experiment=found, actor=request.user)
    messages.success(request, f"Deleted {found.name} with all its runs.")
    return HttpResponseRedirect(reverse("runs:experiments"))
