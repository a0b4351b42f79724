"""What may be spent, what was, and the warnings on the way. All amounts are billionths of a dollar."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Organization

NANO = 1_000_000_000
"""Billionths in a dollar."""

ALERT_PERCENTS = (50, 80, 100)


def percent_of(cost_nano: int, budget_nano: int | None) -> int:
    """Whole percent of a budget that is booked, rounded down so that 100 means all of it; 0 without a budget."""
    return 100 * cost_nano // budget_nano if budget_nano else 0


class Budgeted(models.Model):
    """Something that money is spent on: a run, an experiment, a month of a member or of the organization.

    `cost_nano` is booked, `reserved_nano` is set aside for calls in flight. A call is sent only where both together with
    its declared maximum stay within `budget_nano`; None is no budget. `alerted_percent` is the last warning given.
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
    """A calendar month (UTC) of an organization, or of what one of its members launched. `month` is its first day."""

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

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} of {self.user or self.organization}"


class BudgetAlert(models.Model):
    """A budget of which half, four fifths or all was spent, once each until the budget is changed.

    `percent` is the threshold that was passed; `cost_nano` and `budget_nano` are what was booked and allowed at that moment.
    `mail_due_at` is when owners are told by e-mail, None where they were or nobody can be.
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
        """The share that was spent when the warning was given, at least its threshold."""
        return percent_of(self.cost_nano, self.budget_nano)
