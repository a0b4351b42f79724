"""Spend: what was spent in a month and on what, against which budgets; owners set the budgets."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.models import Membership, Role
from econevals_site.templatetags.formats import counted, money
from runs.forms.budget import BudgetForm, nano
from runs.selectors.alerts import alert_page
from runs.selectors.spending import members_spent, month_from, month_spent, months_spent, this_month, without_member
from runs.selectors.spent_on import breakdown
from runs.services import member_set_budget, organization_set_budget
from runs.views.guards import owner_required, typed


def spend(request: HttpRequest) -> HttpResponse:
    organization = request.organization
    month = month_from(typed(request.GET, "month"), this_month())
    whole = month_spent(organization=organization, month=month)
    members = members_spent(organization=organization, month=month)
    went_to = breakdown(organization=organization, whole=whole)
    asked = {key: typed(request.GET, key) for key in ("text", "sort", "month")}
    sort = asked["sort"] or "-cost"
    context: dict[str, Any] = {
        "whole": whole,
        "is_this_month": month == this_month(),
        "bars": months_spent(organization=organization),
        "members": members,
        "unowned": without_member(whole, members),
        "agents": went_to.agents,
        "page": went_to.experiment_page(text=asked["text"], sort=sort, page=request.GET.get("page")),
        "has_experiments": bool(went_to.experiments),
        "asked": asked,
        "sort": sort,
        "alerts": alert_page(organization=organization, page=request.GET.get("alerts")),
        "is_owner": request.membership.role == Role.OWNER,
    }
    return render(request, "runs/spend.html", context)


@owner_required
@require_POST
def organization_budget(request: HttpRequest) -> HttpResponse:
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget = nano(form.cleaned_data["budget"])
        resumed = organization_set_budget(organization=request.organization, budget_nano=budget, actor=request.user)
        messages.success(request, budget_changed("The organization's monthly budget", budget, resumed))
    else:
        messages.error(request, form.errors["budget"][0])
    return redirect("runs:spend")


@owner_required
@require_POST
def member_budget(request: HttpRequest, membership_id: int) -> HttpResponse:
    members = Membership.objects.select_related("user", "organization")
    member = get_object_or_404(members, organization=request.organization, pk=membership_id)
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget = nano(form.cleaned_data["budget"])
        resumed = member_set_budget(membership=member, budget_nano=budget, actor=request.user)
        whose = member.user.get_full_name() or member.user.username
        messages.success(request, budget_changed(f"The monthly budget of {whose}", budget, resumed))
    else:
        messages.error(request, form.errors["budget"][0])
    return redirect("runs:spend")


def budget_changed(whose: str, budget_nano: int | None, resumed: int) -> str:
    """What a change of a budget did, with how many runs go on because of it."""
    now = f"{whose} is {money(budget_nano)} now." if budget_nano is not None else f"{whose} is removed."
    return f"{now} {counted(resumed, 'run goes,runs go')} on that a budget had paused." if resumed else now
