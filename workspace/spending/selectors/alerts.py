"""Budget alerts with the subject and the current state of their budgets."""

from dataclasses import dataclass

from django.core.paginator import Page
from django.urls import reverse

from accounts.models import Organization
from infrastructure.paging import SHORT_PAGE, PageNumber, paged
from runs.models import BudgetAlert, Budgeted


@dataclass(frozen=True)
class AlertRow:
    """`subject` names the budget, `address` is its page (empty for a month), `account` is its current state."""

    alert: BudgetAlert
    subject: str
    address: str
    account: Budgeted

    @property
    def spent(self) -> tuple[int, int, int]:
        """Percent, booked cost and budget as of now, or as of the alert if the budget was removed since."""
        if self.account.budget_nano:
            return self.account.spent_percent, self.account.cost_nano, self.account.budget_nano
        return self.alert.percent_then, self.alert.cost_nano, self.alert.budget_nano


def alert_page(*, organization: Organization, page: PageNumber) -> Page[AlertRow]:
    """The newest alert first."""
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
