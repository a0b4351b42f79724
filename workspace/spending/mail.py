"""E-mails about budget alerts: one to each owner of the organization, queued in the outbox of accounts."""

from django.conf import settings
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.models import Membership, Role
from accounts.outbox import GIVEN_UP_AFTER, message_queue
from infrastructure.transactions import write_transaction
from runs.models import BudgetAlert
from workspace.spending.selectors.months import alert_row

AT_ONCE = 20


def alerts_queue() -> None:
    """Queue the e-mails of new budget alerts.

    In each worker, the thread that sends e-mails calls this every few seconds.

    The engine only marks an alert with `mail_due_at`: it holds budgets locked, so it must not render messages.
    """
    due = BudgetAlert.objects.filter(mail_due_at__lte=Now()).order_by("mail_due_at")
    for alert in due.select_related("organization", "experiment", "run", "monthly_spend__user")[:AT_ONCE]:
        with write_transaction():
            claim = BudgetAlert.objects.filter(pk=alert.pk, mail_due_at__lte=Now())
            if claim.update(mail_due_at=None) and timezone.now() - alert.created_at < GIVEN_UP_AFTER:
                _queue(alert)


def _queue(alert: BudgetAlert) -> None:
    row = alert_row(alert)
    percent, cost, budget = row.spent
    context = {
        "alert": alert,
        "row": row,
        "percent": percent,
        "cost_nano": cost,
        "budget_nano": budget,
        "address": settings.PUBLIC_URL + (row.address or reverse("spending:spend")),
    }
    text = render_to_string("workspace/spending/alert_mail.txt", context)
    subject = f"{percent} % of a budget is spent: {row.subject}"
    # Each owner gets a separate message, since the addresses of the other owners are private.
    owners = Membership.objects.filter(organization=alert.organization, role=Role.OWNER).order_by("id")
    for email in owners.values_list("user__email", flat=True):
        message_queue(to=email, subject=subject, text=text, member_of=alert.organization)
