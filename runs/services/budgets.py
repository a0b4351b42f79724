"""Budgets of experiments, runs, members and organizations. Raising a budget resumes the runs that it paused.

Each service returns the number of resumed runs and raises ValidationError for the field budget. None means no cap.
"""

from django.core.exceptions import ValidationError
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services.audit import audit_record
from infrastructure.text.formats import money
from infrastructure.transactions import write_transaction
from runs.engine.writing.budget_accounts import month_of, open_months
from runs.models import Budgeted, Experiment, MonthlySpend, PauseCause, Run
from runs.models.money import ALERT_PERCENTS
from runs.services.control import runs_control

AUDITED_NAME = 200
"""Most characters of a name in an audit entry, so that the amounts after the name fit."""


def experiment_set_budget(*, experiment: Experiment, budget_nano: int | None, actor: User | None = None) -> int:
    return _set(experiment, f"Experiment {experiment.name}", budget_nano, actor, experiment.runs.all())


def run_set_budget(*, run: Run, budget_nano: int | None, actor: User | None = None) -> int:
    return _set(run, f"Run {run.pk} of {run.experiment.name}", budget_nano, actor, Run.objects.filter(pk=run.pk))


def organization_set_budget(*, organization: Organization, budget_nano: int | None, actor: User | None = None) -> int:
    """Set the monthly cap of the organization, which covers all of its runs. Applies from this month on."""
    return _set(
        organization, "Organization, a month", budget_nano, actor, Run.objects.filter(organization=organization)
    )


def member_set_budget(*, membership: Membership, budget_nano: int | None, actor: User | None = None) -> int:
    """Set the monthly cap for what one member launches. Applies from this month on."""
    launched = Run.objects.filter(organization=membership.organization, experiment__created_by=membership.user_id)
    return _set(membership, f"{membership.user.shown_name}, a month", budget_nano, actor, launched)


def _set(
    owner: Experiment | Run | Organization | Membership,
    whose: str,
    budget_nano: int | None,
    actor: User | None,
    paid: QuerySet[Run],
) -> int:
    if budget_nano is not None and budget_nano <= 0:
        raise ValidationError({"budget": "A budget is more than $0; leave it empty for none."})
    organization = owner if isinstance(owner, Organization) else owner.organization
    column = "budget_nano" if isinstance(owner, Budgeted) else "monthly_budget_nano"
    rows = type(owner)._default_manager.filter(pk=owner.pk)
    with write_transaction():
        before = rows.values_list(column, flat=True).get()
        rows.update(**{column: budget_nano})
        user_id = owner.user_id if isinstance(owner, Membership) else None
        account: Budgeted = owner if isinstance(owner, Budgeted) else month_row(organization, user_id)
        # Alerts start again. Percentages that the new budget has already reached give no alert.
        accounts = type(account)._default_manager.filter(pk=account.pk)
        accounts.update(budget_nano=budget_nano, alerted_percent=0)
        for percent in ALERT_PERCENTS if budget_nano else ():
            accounts.filter(cost_nano__gte=F("budget_nano") * percent / 100).update(alerted_percent=percent)
        if before != budget_nano:
            amounts = [money(amount) if amount is not None else "none" for amount in (before, budget_nano)]
            audit_record(
                organization=organization,
                actor=actor,
                action=Action.BUDGET_CHANGED,
                subject=f"{whose[:AUDITED_NAME]}: {amounts[0]} → {amounts[1]}",
            )
    if isinstance(owner, Budgeted):
        owner.refresh_from_db(fields=["budget_nano", "cost_nano", "reserved_nano"])
    return runs_control(runs=paid.filter(pause_cause=PauseCause.BUDGET), action="resume", user=actor)


def month_row(organization: Organization, user_id: int | None = None) -> MonthlySpend:
    """The account of the current month. It is created if it does not exist."""
    month = month_of(timezone.now())
    open_months([(organization.pk, user_id, month)])
    return MonthlySpend.objects.get(organization=organization, user=user_id, month=month)
