"""Budgets of experiments, runs, members and organizations. Raising a budget resumes the runs that it paused."""

from __future__ import annotations

from datetime import date

from django.core.exceptions import ValidationError
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services import audit_record
from infrastructure.text.formats import money
from infrastructure.transactions import write_transaction
from runs.engine.writing.budget_accounts import month_of, open_months
from runs.models import Budgeted, Experiment, MonthlySpend, Run
from runs.models.money import ALERT_PERCENTS
from runs.services.control import resume_paid

AUDITED_NAME = 200
"""Longest name in an audit entry, so that the amounts after it fit."""


def experiment_set_budget(*, experiment: Experiment, budget_nano: int | None, actor: User | None = None) -> int:
    """Change the cap; return the number of resumed runs. Raises ValidationError for the field budget."""
    _check(budget_nano)
    with write_transaction():
        before = Experiment.objects.values_list("budget_nano", flat=True).get(pk=experiment.pk)
        _set(Experiment, experiment.pk, budget_nano)
        _audit(experiment.organization, actor, f"Experiment {experiment.name}", before, budget_nano)
    experiment.refresh_from_db(fields=["budget_nano", "cost_nano", "reserved_nano"])
    return resume_paid(Run.objects.filter(experiment=experiment))


def run_set_budget(*, run: Run, budget_nano: int | None, actor: User | None = None) -> int:
    """Like experiment_set_budget, for one run."""
    _check(budget_nano)
    with write_transaction():
        before = Run.objects.values_list("budget_nano", flat=True).get(pk=run.pk)
        _set(Run, run.pk, budget_nano)
        _audit(run.organization, actor, f"Run {run.pk} of {run.experiment.name}", before, budget_nano)
    run.refresh_from_db(fields=["budget_nano", "cost_nano", "reserved_nano"])
    return resume_paid(Run.objects.filter(pk=run.pk))


def organization_set_budget(*, organization: Organization, budget_nano: int | None, actor: User | None = None) -> int:
    """Set the monthly cap from this month on, for all runs of the organization."""
    _check(budget_nano)
    with write_transaction():
        rows = Organization.objects.filter(pk=organization.pk)
        before = rows.values_list("monthly_budget_nano", flat=True).get()
        rows.update(monthly_budget_nano=budget_nano)
        _set(MonthlySpend, month_row(organization).pk, budget_nano)
        _audit(organization, actor, "Organization, a month", before, budget_nano)
    return resume_paid(Run.objects.filter(organization=organization))


def member_set_budget(*, membership: Membership, budget_nano: int | None, actor: User | None = None) -> int:
    """Set the monthly cap from this month on, for what one member launches."""
    _check(budget_nano)
    organization, user = membership.organization, membership.user_id
    with write_transaction():
        rows = Membership.objects.filter(pk=membership.pk)
        before = rows.values_list("monthly_budget_nano", flat=True).get()
        rows.update(monthly_budget_nano=budget_nano)
        _set(MonthlySpend, month_row(organization, user).pk, budget_nano)
        _audit(organization, actor, f"{membership.user.shown_name}, a month", before, budget_nano)
    return resume_paid(Run.objects.filter(organization=organization, experiment__created_by=user))


def month_row(organization: Organization, user_id: int | None = None, month: date | None = None) -> MonthlySpend:
    """The account of a month, by default the current one; created if it does not exist."""
    first = month or month_of(timezone.now())
    wanted = Q(organization=organization, user=user_id, month=first)
    row = MonthlySpend.objects.filter(wanted).first()
    if row is None:
        open_months([(organization.pk, user_id, first)])
        row = MonthlySpend.objects.get(wanted)
    return row


def _audit(organization: Organization, actor: User | None, whose: str, before: int | None, after: int | None) -> None:
    """Record a changed budget. Call this in the transaction of the change."""
    if before != after:
        words = [money(amount) if amount is not None else "none" for amount in (before, after)]
        subject = f"{whose[:AUDITED_NAME]}: {words[0]} → {words[1]}"
        audit_record(organization=organization, actor=actor, action=Action.BUDGET_CHANGED, subject=subject)


def _check(budget_nano: int | None) -> None:
    if budget_nano is not None and budget_nano <= 0:
        raise ValidationError({"budget": "A budget is more than $0; leave it empty for none."})


def _set(model: type[Budgeted], pk: int, budget_nano: int | None) -> None:
    """Warnings begin anew with what the new budget has not passed yet."""
    rows = model._default_manager.filter(pk=pk)
    with write_transaction():
        rows.update(budget_nano=budget_nano, alerted_percent=0)
        for percent in ALERT_PERCENTS if budget_nano else ():
            rows.filter(cost_nano__gte=F("budget_nano") * percent / 100).update(alerted_percent=percent)
