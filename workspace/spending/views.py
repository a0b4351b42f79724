"""The ledger of calls, the spending of a month, and alerts about budgets: pages and files."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.guards import owner_required
from accounts.models import Membership, Organization, Role
from accounts.pages.downloads import csv_download, usd
from accounts.pages.requests import MemberRequest, typed, whole
from infrastructure.money import nano
from infrastructure.text.formats import counted, money
from runs.models import Agent
from runs.selectors.experiments import experiment_or_404, run_or_404
from runs.services.budgets import member_set_budget, organization_set_budget
from workspace.spending.forms import BudgetForm
from workspace.spending.selectors import ledger as ledgers
from workspace.spending.selectors import months
from workspace.spending.selectors.breakdown import SORTS, breakdown, days_spent
from workspace.spending.selectors.months import Spent, alert_page, month_spent

LEDGER_HEADING = (
    *("call", "time_utc", "experiment", "run", "agent", "period", "seat", "chat", "step", "send", "state", "why"),
    *("input_tokens", "cached_tokens", "output_tokens", "reserved_usd", "booked_usd", "reasoning_tokens"),
    "thinking_usd",
)


def ledger(request: MemberRequest, experiment_id: int | None = None) -> HttpResponse:
    ledger_filter = _ledger_filter(request, experiment_id)
    sums = ledgers.totals(ledger_filter)
    return render(
        request,
        "workspace/spending/ledger.html",
        {
            "filter": ledger_filter,
            "experiment": ledger_filter.experiment,
            "run": ledger_filter.run,
            "totals": sums,
            "page": ledgers.ledger_page(ledger_filter, sums, request.GET.get("page")),
            "agents": ledgers.ledger_agents(
                organization=ledger_filter.organization, experiment=ledger_filter.experiment
            ),
            "sort": ledger_filter.sort,
            "now": timezone.now(),
        },
    )


def ledger_csv(request: MemberRequest, experiment_id: int | None = None) -> HttpResponseBase:
    """All calls of the selection in the query string, as CSV."""
    name = f"ledger-experiment-{experiment_id}.csv" if experiment_id else "ledger-organization.csv"
    return csv_download(
        request, name, LEDGER_HEADING, map(_ledger_line, ledgers.ledger_rows(_ledger_filter(request, experiment_id)))
    )


def _ledger_filter(request: MemberRequest, experiment_id: int | None) -> ledgers.LedgerFilter:
    """The selection in the query string. An unknown run or agent is a 404; other unknown values are ignored."""
    organization = request.organization
    experiment = run = agent = None
    if experiment_id is not None:
        experiment = experiment_or_404(organization=organization, experiment_id=experiment_id)
    number, slug, state, sort = (typed(request.GET, key) for key in ("run", "agent", "state", "sort"))
    if any(map(str.isdigit, number)):
        run = run_or_404(organization=organization, run_id=whole(number, 0))
        if experiment and run.experiment_id != experiment.pk:
            raise Http404("This run belongs to another experiment.")
    if slug:
        agent = get_object_or_404(Agent, organization=organization, slug=slug)
    return ledgers.LedgerFilter(
        organization, experiment, run, agent, state if state in ledgers.STATES else "", sort or "-time"
    )


def _ledger_line(row: ledgers.LedgerRow) -> tuple[Any, ...]:
    return (
        *(row.id, row.at.isoformat(), row.experiment_id, row.run_id, row.agent),
        *(row.period, row.seat, row.chat + 1, row.step + 1, row.send + 1),
        *(row.outcome.label, " ".join(filter(None, (row.outcome.meaning, row.outcome.why)))),
        *(row.input_tokens, row.cached_tokens, row.output_tokens),
        *(usd(row.reserved_nano), usd(row.cost_nano), row.reasoning_tokens, usd(row.thinking_nano)),
    )


CSV_HEADING = (
    *("month_utc", "by", "name", "id"),
    *("booked_usd", "reserved_usd", "budget_usd", "of_which_waste_usd", "calls"),
)


def spend(request: MemberRequest) -> HttpResponse:
    organization = request.organization
    month = months.month_from(typed(request.GET, "month"))
    whole = month_spent(organization=organization, month=month)
    members = months.members_spent(organization=organization, month=month)
    by_agent, by_experiment = breakdown(organization=organization, whole=whole)
    query = {key: typed(request.GET, key) for key in ("text", "sort", "month", "agents_sort", "members_sort")}
    experiments = [row for row in by_experiment if query["text"].lower() in row.name.lower()]

    def sorted_page(rows: list[Any], sorts: months.Sorts, sort: str, page: str) -> Page[Any]:
        return months.page_of(rows, sorts, sort=query[sort] or "-cost", page=request.GET.get(page))

    return render(
        request,
        "workspace/spending/spend.html",
        {
            "whole": whole,
            "waste": sum(row.waste for row in by_experiment),
            "is_this_month": month == months.this_month(),
            "bars": months.months_spent(organization=organization),
            "members": sorted_page(members, months.MEMBER_SORTS, "members_sort", "members"),
            "unowned": months.without_member(whole, members),
            "agents": sorted_page(by_agent, SORTS, "agents_sort", "agents"),
            "page": sorted_page(experiments, SORTS, "sort", "page"),
            "experiment_total": len(by_experiment),
            "asked": query,
            "sort": query["sort"] or "-cost",
            "alerts": alert_page(organization=organization, page=request.GET.get("alerts")),
            "is_owner": request.membership.role == Role.OWNER,
        },
    )


@require_safe
def spend_csv(request: MemberRequest) -> HttpResponseBase:
    """Spending of one month as CSV: in total, and by member, agent, experiment and day."""
    month = months.month_from(typed(request.GET, "month"))
    return csv_download(request, f"spend-{month:%Y-%m}.csv", CSV_HEADING, _lines(request.organization, month))


def _lines(organization: Organization, month: date) -> Iterator[tuple[Any, ...]]:
    whole = month_spent(organization=organization, month=month)
    members = months.members_spent(organization=organization, month=month)
    nobody = months.without_member(whole, members)
    by_agent, by_experiment = breakdown(organization=organization, whole=whole)
    month_text = f"{month:%Y-%m}"
    yield (month_text, "organization", organization.name, "", *_budgeted(whole), "", "")
    for member in members:
        yield (month_text, "member", member.name, "", *_budgeted(member.spent), "", "")
    if nobody.cost_nano or nobody.reserved_nano:
        yield (month_text, "member", "From the command line", "", *_budgeted(nobody), "", "")
    for kind, rows in (("agent", by_agent), ("experiment", by_experiment)):
        for row in rows:
            yield (month_text, kind, row.name, row.key, usd(row.cost), "", "", usd(row.waste), row.calls)
    for day in days_spent(organization=organization, month=month):
        yield (month_text, "day", day.day.isoformat(), "", usd(day.cost), "", "", usd(day.waste), day.calls)


def _budgeted(spent: Spent) -> tuple[str, str, str]:
    return usd(spent.cost_nano), usd(spent.reserved_nano), "" if spent.budget_nano is None else usd(spent.budget_nano)


@owner_required
@require_POST
def organization_budget(request: MemberRequest) -> HttpResponse:
    return take_budget(
        request,
        "The organization's monthly budget",
        partial(organization_set_budget, organization=request.organization),
        "spending:spend",
    )


@owner_required
@require_POST
def member_budget(request: MemberRequest, membership_id: int) -> HttpResponse:
    members = Membership.objects.select_related("user", "organization")
    member = get_object_or_404(members, organization=request.organization, pk=membership_id)
    return take_budget(
        request,
        f"The monthly budget of {member.user.shown_name}",
        partial(member_set_budget, membership=member),
        "spending:spend",
    )


def take_budget(
    request: MemberRequest, label: str, save: Callable[..., int], to: str, *arguments: object
) -> HttpResponse:
    """Save the posted budget, report it, and redirect. save: returns the number of runs that continue because of it"""
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget = nano(form.cleaned_data["budget"])
        resumed = save(budget_nano=budget, actor=request.user)
        now = f"{label} is removed." if budget is None else f"{label} is {money(budget)} now."
        also = f" {counted(resumed, 'run goes,runs go')} on that a budget had paused." if resumed else ""
        messages.success(request, now + also)
    else:
        messages.error(request, str(form.errors["budget"][0]))
    return redirect(to, *arguments)
