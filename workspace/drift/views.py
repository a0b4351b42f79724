"""Pages of watches: the list, one watch, the form, and the actions of members."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed, whole
from infrastructure.money import nano
from runs.launching.plan import LaunchError
from runs.models import Agent
from stats.designs.replays import BASELINE_ROUNDS
from workspace.drift import services
from workspace.drift.forms import WatchForm
from workspace.drift.selectors import OF_A_ROUND, next_round, round_rows, watch_or_404, watches_of


@require_GET
def watches(request: MemberRequest) -> HttpResponse:
    return render(request, "workspace/drift/watches.html", {"watches": watches_of(organization=request.organization)})


@require_GET
def watch(request: MemberRequest, watch_id: int) -> HttpResponse:
    agent_watch = watch_or_404(organization=request.organization, watch_id=watch_id)
    rows = round_rows(agent_watch)
    return render(
        request,
        "workspace/drift/watch.html",
        {
            "watch": agent_watch,
            "rows": rows[::-1],
            "has_scores": any(row.score is not None for row in rows),
            "next": next_round(agent_watch),
            "notices": agent_watch.notices.filter(OF_A_ROUND).select_related("seen_by"),
            "is_open": agent_watch.notices.filter(OF_A_ROUND, seen_at=None).exists(),
            "baseline_rounds": BASELINE_ROUNDS,
        },
    )


@editor_required
@require_http_methods(["GET", "POST"])
def watch_new(request: MemberRequest) -> HttpResponse:
    """The form of a new watch. The query string names the agent."""
    agents = Agent.objects.filter(Agent.playable(), organization=request.organization, archived_at=None)
    agent = get_object_or_404(agents.select_related("endpoint"), slug=typed(request.GET, "agent"))
    form = WatchForm(request.POST if request.method == "POST" else None, organization=request.organization, agent=agent)
    if form.is_valid():
        try:
            watch: dict[str, Any] = {
                "organization": request.organization,
                "user": request.user,
                "plan": form.plan(),
                "interval": form.cleaned_data["interval"],
                "budget_nano": nano(form.cleaned_data["budget"]),
            }
            services.watch_prepare(**watch)
            made = services.watch_create(**watch)
        except LaunchError as error:
            form.take_errors(error)
        else:
            messages.success(request, "Watching. The rounds of the baseline are launched within a minute.")
            return redirect("drift:watch", made.pk)
    return render(
        request,
        "workspace/drift/watch_form.html",
        {"form": form, "agent": agent, "baseline_rounds": BASELINE_ROUNDS},
        status=422 if form.is_bound else 200,
    )


def button(act: Callable[..., None], message: str, *, is_gone: bool = False) -> Callable[..., HttpResponse]:
    """Make a view that calls a service with the watch and reports what was done.

    is_gone: whether the watch has no page afterwards
    """

    @editor_required
    @require_POST
    def view(request: MemberRequest, watch_id: int) -> HttpResponse:
        act(watch=watch_or_404(organization=request.organization, watch_id=watch_id))
        messages.success(request, message)
        return redirect("drift:watches") if is_gone else redirect("drift:watch", watch_id)

    return view


pause = button(services.watch_pause, "Paused. No round is launched; runs in play go on.")
delete = button(services.watch_delete, "Deleted the watch. The experiments of its rounds stay.", is_gone=True)


@editor_required
@require_POST
def resume(request: MemberRequest, watch_id: int) -> HttpResponse:
    services.watch_resume(watch=watch_or_404(organization=request.organization, watch_id=watch_id), user=request.user)
    messages.success(request, "Resumed. A round that became due meanwhile is launched within a minute.")
    return redirect("drift:watch", watch_id)


@editor_required
@require_POST
def see(request: MemberRequest, watch_id: int) -> HttpResponse:
    """Mark the notices as seen. If the form names the current baseline, the next rounds replace it."""
    watch = watch_or_404(organization=request.organization, watch_id=watch_id)
    baseline = whole(request.POST.get("baseline"), 0) or None
    services.notices_see(watch=watch, user=request.user, after_baseline=baseline)
    after = "" if baseline is None else " The rounds of the new baseline are launched within a minute."
    messages.success(request, f"Marked as seen.{after}")
    return redirect("drift:watch", watch_id)
