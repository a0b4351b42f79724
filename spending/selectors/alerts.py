"""Warnings that budgets are being used up, in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.urls import reverse

from accounts.models import Organization
from runs.models import BudgetAlert, Budgeted

PAGE_SIZE = 10


@dataclass(frozen=True)
class AlertRow:
    """subject: whose budget it was; address: where that is, empty for a month; account: that budget as it is now"""

    alert: BudgetAlert
    subject: str
    address: str
    account: Budgeted

    @property
    def spent(self) -> tuple[int, int, int]:
        """Percent, booked and budget as they are now; as they were then where the budget was removed since."""
        if self.account.budget_nano:
            return self.account.spent_percent, self.account.cost_nano, self.account.budget_nano
        return self.alert.percent_then, self.alert.cost_nano, self.alert.budget_nano


def alert_page(*, organization: Organization, page: object) -> Page:
    """AlertRows, newest first."""
    rows = BudgetAlert.objects.filter(organization=organization)
    found = Paginator(rows.select_related("experiment", "run", "monthly_spend__user"), PAGE_SIZE).get_page(page)
    found.object_list = [alert_row(alert) for alert in found.object_list]
    return found


def alert_row(alert: BudgetAlert) -> AlertRow:
    if alert.run is not None:
        return AlertRow(alert, f"Run {alert.run.pk}", reverse("runs:run", args=[alert.run.pk]), alert.run)
    if alert.experiment is not None:
        address = reverse("runs:experiment", args=[alert.experiment.pk])
        return AlertRow(alert, alert.experiment.name, address, alert.experiment)
    month = alert.monthly_spend
    assert month is not None
    whose = f"{month.user.get_full_name() or month.user.username}, " if month.user else "The organization, "
    return AlertRow(alert, f"{whose}{month.month:%B %Y}", "", month)
