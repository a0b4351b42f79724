"""Spending of the organization and of each member in a calendar month (UTC), and alerts about budgets."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils import timezone

from accounts.models import Membership, Organization
from infrastructure.paging import LIST_PAGE, SHORT_PAGE, PageNumber, paged
from infrastructure.text.formats import whole_percent
from runs.models import BudgetAlert, Budgeted, MonthlySpend
from runs.models.money import percent_of

MONTHS_SHOWN = 12
Row = TypeVar("Row")
Sorts = dict[str, Callable[[Any], Any]]
MEMBER_SORTS: Sorts = {
    "name": lambda row: row.name.lower(),
    "cost": attrgetter("spent.cost_nano"),
    "reserved": attrgetter("spent.reserved_nano"),
    "budget": lambda row: row.spent.budget_nano or 0,
}


@dataclass(frozen=True)
class Spent:
    """Spending in a month, in billionths of a dollar. `budget_nano` is None without a budget."""

    month: date
    cost_nano: int = 0
    reserved_nano: int = 0
    budget_nano: int | None = None

    @property
    def percent(self) -> int:
        """Booked share of the budget, rounded down; above 100 if the budget was lowered afterwards."""
        return percent_of(self.cost_nano, self.budget_nano)

    @property
    def percent_words(self) -> str:
        return whole_percent(self.cost_nano, self.budget_nano or 0)

    @property
    def left_nano(self) -> int:
        return max(0, (self.budget_nano or 0) - self.cost_nano - self.reserved_nano)


@dataclass(frozen=True)
class MemberSpent:
    """Spending of a member. `membership` is None for a person who left the organization."""

    name: str
    role: str
    membership: Membership | None
    spent: Spent


def this_month() -> date:
    return timezone.now().astimezone(UTC).date().replace(day=1)


def months_before(month: date, back: int) -> date:
    """The first day of the month `back` months earlier. A negative number means later."""
    number = month.year * 12 + month.month - 1 - back
    return date(number // 12, number % 12 + 1, 1)


def month_from(text: str) -> date:
    """The first day of a month such as '2026-11'; of the current month for any other text."""
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        return this_month()


def month_spent(*, organization: Organization, month: date | None = None) -> Spent:
    """The organization's spending in a month, by default the current one.

    A month without calls has the current budget.
    """
    month = month or this_month()
    row = MonthlySpend.objects.filter(organization=organization, user=None, month=month).first()
    return _spent(row) if row else _nothing_spent(month, organization)


def months_spent(*, organization: Organization) -> list[tuple[Spent, int]]:
    """The last twelve months, oldest first, each with the height of its bar: 20 for the highest bar."""
    last = this_month()
    firsts = [months_before(last, back) for back in reversed(range(MONTHS_SHOWN))]
    rows = MonthlySpend.objects.filter(organization=organization, user=None, month__gte=firsts[0])
    by_month = {row.month: _spent(row) for row in rows}
    spent = [by_month.get(first, Spent(first)) for first in firsts]
    most = max(item.cost_nano for item in spent)
    return [(item, -(-20 * item.cost_nano // most) if most else 0) for item in spent]


def members_spent(*, organization: Organization, month: date) -> list[MemberSpent]:
    """Spending on runs by the member who launched them, highest first. Former members are listed if they spent."""
    personal = MonthlySpend.objects.filter(organization=organization, month=month, user__isnull=False)
    rows = {row.user: row for row in personal.select_related("user")}
    members = []
    for member in Membership.objects.filter(organization=organization).select_related("user"):
        row = rows.pop(member.user, None)
        spent = _spent(row) if row else _nothing_spent(month, member)
        members.append(MemberSpent(member.user.shown_name, member.get_role_display(), member, spent))
    members += [MemberSpent(user.shown_name, "left", None, _spent(row)) for user, row in rows.items() if user]
    return sorted(members, key=lambda item: (-item.spent.cost_nano, item.name.lower()))


def page_of(rows: list[Row], sorts: Sorts, *, sort: str, page: PageNumber) -> Page[Row]:
    """A page of the rows, sorted by a key of `sorts`, with "-" for descending."""
    key = sorts.get(sort.removeprefix("-"))
    return Paginator(sorted(rows, key=key, reverse=sort.startswith("-")) if key else rows, LIST_PAGE).get_page(page)


def without_member(whole: Spent, members: list[MemberSpent]) -> Spent:
    """Spending on runs without a launching member, for example from the command line.

    It counts in the organization's month only.
    """
    cost = whole.cost_nano - sum(item.spent.cost_nano for item in members)
    reserved = whole.reserved_nano - sum(item.spent.reserved_nano for item in members)
    return Spent(whole.month, max(0, cost), max(0, reserved))


def _nothing_spent(month: date, payer: Organization | Membership) -> Spent:
    return Spent(month, budget_nano=payer.monthly_budget_nano if month >= this_month() else None)


def _spent(row: MonthlySpend) -> Spent:
    return Spent(row.month, row.cost_nano, row.reserved_nano, row.budget_nano)


@dataclass(frozen=True)
class AlertRow:
    """An alert. `subject` names the budget, `address` is its page (empty for a month), `account` is its current state."""

    alert: BudgetAlert
    subject: str
    address: str
    account: Budgeted

    @property
    def spent(self) -> tuple[int, int, int]:
        """(percent, booked cost, budget) now, or those of the alert if the budget was removed."""
        if self.account.budget_nano:
            return self.account.spent_percent, self.account.cost_nano, self.account.budget_nano
        return self.alert.percent_then, self.alert.cost_nano, self.alert.budget_nano


def alert_page(*, organization: Organization, page: PageNumber) -> Page[AlertRow]:
    """A page of alerts, newest first."""
    rows = BudgetAlert.objects.filter(organization=organization, experiment__deleted_at=None, run__deleted_at=None)
    return paged(rows.select_related("experiment", "run", "monthly_spend__user"), SHORT_PAGE, page, alert_row)


def alert_row(alert: BudgetAlert) -> AlertRow:
    if alert.run is not None:
        return AlertRow(alert, f"Run {alert.run.pk}", reverse("dashboard:run", args=[alert.run.pk]), alert.run)
    if alert.experiment is not None:
        address = reverse("dashboard:experiment", args=[alert.experiment.pk])
        return AlertRow(alert, alert.experiment.name, address, alert.experiment)
    month = alert.monthly_spend
    assert month is not None
    name = month.user.shown_name if month.user else "The organization"
    return AlertRow(alert, f"{name}, {month.month:%B %Y}", "", month)
