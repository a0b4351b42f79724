"""Budgets, spending and budget alerts. All amounts are billionths of a dollar."""

from django.conf import settings
from django.db import models

from accounts.models import Organization

ALERT_PERCENTS = (50, 80, 100)


def percent_of(cost_nano: int, budget_nano: int | None) -> int:
    """The booked share of a budget in whole percent, rounded down so that 100 means all of it. 0 without a budget."""
    return 100 * cost_nano // budget_nano if budget_nano else 0


class Budgeted(models.Model):
    """Base class of rows with a budget: a run, an experiment, a month of a member or of the organization.

    `cost_nano` is booked, `reserved_nano` is reserved for calls in flight. A call is sent only if both plus its
    declared maximum fit `budget_nano`; None means no limit. `alerted_percent` is the percentage of the last alert.
    """

    budget_nano = models.BigIntegerField(null=True, blank=True)
    cost_nano = models.BigIntegerField(default=0, db_default=0)
    reserved_nano = models.BigIntegerField(default=0, db_default=0)
    alerted_percent = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        abstract = True

    @property
    def spent_percent(self) -> int:
        return percent_of(self.cost_nano, self.budget_nano)


class MonthlySpend(Budgeted):
    """Spending of an organization, or of one of its members, in a calendar month (UTC). `month` is its first day."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="monthly_spend")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    month = models.DateField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "user", "month"], name="one_month_per_member"),
            models.UniqueConstraint(
                fields=["organization", "month"], condition=models.Q(user=None), name="one_month_per_organization"
            ),
        ]


class BudgetAlert(models.Model):
    """A budget passed 50, 80 or 100 percent. Each threshold gives one alert, until the budget is changed.

    `cost_nano` and `budget_nano` are the values at that moment. `mail_due_at` is set until the e-mails to the owners
    are queued; it stays None if the site sends no e-mail.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="budget_alerts")
    experiment = models.ForeignKey("Experiment", models.CASCADE, null=True, related_name="budget_alerts")
    run = models.ForeignKey("Run", models.CASCADE, null=True, related_name="budget_alerts")
    monthly_spend = models.ForeignKey(MonthlySpend, models.CASCADE, null=True, related_name="budget_alerts")
    percent = models.PositiveSmallIntegerField()
    budget_nano = models.BigIntegerField()
    cost_nano = models.BigIntegerField()
    mail_due_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["mail_due_at"], condition=models.Q(mail_due_at__isnull=False), name="alert_mail_due")
        ]
        ordering = ["-created_at", "-id"]

    @property
    def percent_then(self) -> int:
        """The percentage spent at the time of the alert. It is not below the alert's threshold."""
        return percent_of(self.cost_nano, self.budget_nano)
