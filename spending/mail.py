"""Budget warnings by e-mail to the owners, where the site can send any."""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import Membership, Role
from infrastructure.connections import let_go_of_connection
from infrastructure.transactions import write_transaction
from runs.models import BudgetAlert
from spending.selectors.alerts import alert_row

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 300
"""After which a mail that its sender neither sent nor gave up is tried again."""

GIVEN_UP_AFTER = timedelta(days=1)
AT_ONCE = 20


def mail_alerts() -> int:
    """Send the warnings that are due; how many went out."""
    due = BudgetAlert.objects.filter(mail_due_at__lte=Now())
    return sum(_mail(pk) for pk in due.order_by("mail_due_at").values_list("id", flat=True)[:AT_ONCE])


def _mail(pk: int) -> bool:
    with write_transaction():
        again = Now() + timedelta(seconds=AGAIN_SECONDS)
        if not BudgetAlert.objects.filter(pk=pk, mail_due_at__lte=Now()).update(mail_due_at=again):
            return False
    alert = BudgetAlert.objects.select_related("organization", "experiment", "run", "monthly_spend__user").get(pk=pk)
    owners = Membership.objects.filter(organization=alert.organization, role=Role.OWNER)
    to = list(owners.order_by("id").values_list("user__email", flat=True))
    let_go_of_connection()
    sent = settings.MAIL_WORKS and _send(alert, to)
    with write_transaction():
        over = Q() if sent else Q(created_at__lt=Now() - GIVEN_UP_AFTER)
        BudgetAlert.objects.filter(over, pk=pk).update(mail_due_at=None)
    return sent


def _send(alert: BudgetAlert, to: list[str]) -> bool:
    row = alert_row(alert)
    percent, cost, budget = row.spent
    context = {"alert": alert, "row": row, "percent": percent, "cost_nano": cost, "budget_nano": budget}
    context["address"] = settings.PUBLIC_URL + (row.address or reverse("runs:spend"))
    text = render_to_string("spending/alert_mail.txt", context)
    subject = " ".join(f"{percent} % of a budget is spent: {row.subject}".split())
    try:
        # Each alone in their copy: who else owns the organization is nobody's business outside of it.
        for owner in to:
            EmailMessage(subject, text, None, [owner]).send()
    except (SMTPException, OSError):
        logger.exception("A budget warning could not be sent; trying again.")
        return False
    return True
