"""The spend page: spending of a month by member, agent and experiment; owners set budgets here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.guards import owner_required
from accounts.models import Membership, Organization, Role
from accounts.pages.downloads import csv_download, usd
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from infrastructure.money import nano
from infrastructure.text.formats import counted, money
from runs.services import member_set_budget, organization_set_budget
from spending.forms import BudgetForm
from spending.selectors.alerts import alert_page
from spending.selectors.breakdown import breakdown, days_spent, page_of
from spending.selectors.months import (
    Spent,
    member_page,
    members_spent,
    month_from,
    month_spent,
    months_spent,
    this_month,
    without_member,
)

CSV_HEADING = (
    "month_utc",
    "by",
    "name",
    "id",
    "booked_usd",
    "reserved_usd",
    "budget_usd",
    "of_which_waste_usd",
    "calls",
)


def spend(request: MemberRequest) -> HttpResponse:
    organization = request.organization
    month = month_from(typed(request.GET, "month"), this_month())
    whole = month_spent(organization=organization, month=month)
    members = members_spent(organization=organization, month=month)
    went_to = breakdown(organization=organization, whole=whole)
    asked = {key: typed(request.GET, key) for key in ("text", "sort", "month", "agents_sort", "members_sort")}
    sorts = {key: asked[key] or "-cost" for key in ("sort", "agents_sort", "members_sort")}
    of_page = request.GET.get
    context: dict[str, Any] = {
        "whole": whole,
        "waste": sum(row.waste for row in went_to.experiments),
        "is_this_month": month == this_month(),
        "bars": months_spent(organization=organization),
        "members": member_page(members, sort=sorts["members_sort"], page=of_page("members")),
        "unowned": without_member(whole, members),
        "agents": page_of(went_to.agents, sort=sorts["agents_sort"], page=of_page("agents")),
        "page": page_of(went_to.experiments, text=asked["text"], sort=sorts["sort"], page=of_page("page")),
        "experiment_total": len(went_to.experiments),
        "asked": asked,
        "sort": sorts["sort"],
        "alerts": alert_page(organization=organization, page=of_page("alerts")),
        "is_owner": request.membership.role == Role.OWNER,
    }
    return render(request, "spending/spend.html", context)


@require_GET
def spend_csv(request: MemberRequest) -> HttpResponseBase:
    """Spending of one month: in total, and by member, agent, experiment and day."""
    month = month_from(typed(request.GET, "month"), this_month())
    rows = _lines(request.organization, month)
    return csv_download(request, f"spend-{month:%Y-%m}.csv", CSV_HEADING, rows)


def _lines(organization: Organization, month: date) -> Iterator[tuple[Any, ...]]:
    whole = month_spent(organization=organization, month=month)
    members = members_spent(organization=organization, month=month)
    nobody = without_member(whole, members)
    went_to = breakdown(organization=organization, whole=whole)
    named = f"{month:%Y-%m}"
    yield (named, "organization", organization.name, "", *_budgeted(whole), "", "")
    for member in members:
        yield (named, "member", member.name, "", *_budgeted(member.spent), "", "")
    if nobody.cost_nano or nobody.reserved_nano:
        yield (named, "member", "From the command line", "", *_budgeted(nobody), "", "")
    for kind, rows in (("agent", went_to.agents), ("experiment", went_to.experiments)):
        for row in rows:
            yield (named, kind, row.name, row.key, usd(row.cost), "", "", usd(row.waste), row.calls)
    for day in days_spent(organization=organization, month=month):
        yield (named, "day", day.day.isoformat(), "", usd(day.cost), "", "", usd(day.waste), day.calls)


def _budgeted(spent: Spent) -> tuple[str, str, str]:
    return usd(spent.cost_nano), usd(spent.reserved_nano), "" if spent.budget_nano is None else usd(spent.budget_nano)


@owner_required
@require_POST
def organization_budget(request: MemberRequest) -> HttpResponse:
    def save(budget_nano: int | None) -> int:
        return organization_set_budget(organization=request.organization, budget_nano=budget_nano, actor=request.user)

    return _set_budget(request, "The organization's monthly budget", save)


@owner_required
@require_POST
def member_budget(request: MemberRequest, membership_id: int) -> HttpResponse:
    members = Membership.objects.select_related("user", "organization")
    member = get_object_or_404(members, organization=request.organization, pk=membership_id)

    def save(budget_nano: int | None) -> int:
        return member_set_budget(membership=member, budget_nano=budget_nano, actor=request.user)

    return _set_budget(request, f"The monthly budget of {member.user.shown_name}", save)


def _set_budget(request: MemberRequest, whose: str, save: Callable[[int | None], int]) -> HttpResponse:
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget = nano(form.cleaned_data["budget"])
        messages.success(request, budget_changed(whose, budget, save(budget)))
    else:
        messages.error(request, str(form.errors["budget"][0]))
    return redirect("runs:spend")


def budget_changed(whose: str, budget_nano: int | None, resumed: int) -> str:
    """A sentence about a changed budget, with the number of runs that continue because of it."""
    now = f"{whose} is {money(budget_nano)} now." if budget_nano is not None else f"{whose} is removed."
    return f"{now} {counted(resumed, 'run goes,runs go')} on that a budget had paused." if resumed else now
