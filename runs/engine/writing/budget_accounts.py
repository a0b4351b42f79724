"""The budgets that pay for a call, locked within one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Membership, Organization
from infrastructure.text.formats import money
from infrastructure.transactions import update_many
from runs.engine.exceptions import BudgetBusy, OverBudget
from runs.events import budget_warned
from runs.models import BudgetAlert, Budgeted, Experiment, MonthlySpend, Run
from runs.models.money import ALERT_PERCENTS

ACCOUNT_FIELDS = ("id", "organization_id", "budget_nano", "cost_nano", "reserved_nano", "alerted_percent")


@dataclass
class Account:
    """One budget. In this transaction, `spent` is added to the booked cost and `held` to the reserved amount.

    row: the locked columns ACCOUNT_FIELDS
    """

    model: type[Budgeted]
    label: str
    row: Mapping[str, Any]
    spent: int = 0
    held: int = 0

    @property
    def booked(self) -> int:
        return int(self.row["cost_nano"]) + self.spent

    def refusal(self, amount: int) -> Exception | None:
        budget = self.row["budget_nano"]
        if budget is None or not amount:
            return None
        if self.booked + amount > budget:
            return OverBudget(
                f"{self.label} has spent {money(self.booked)} of its budget of {money(budget)}, and the next call may cost "
                f"up to {money(amount)}. Raise the budget to go on.",
                self.model,
                self.row["id"],
                budget,
            )
        if self.booked + self.row["reserved_nano"] + self.held + amount > budget:
            return BudgetBusy(
                f"Calls in flight may use up what is left of the budget of {money(budget)}; waiting for them."
            )
        return None

    def warn(self) -> None:
        """Store and emit an alert for the highest alert percentage that this transaction passes."""
        budget, alerted = self.row["budget_nano"], self.row["alerted_percent"]
        if not budget or self.spent <= 0:
            return
        share = 100 * self.booked / budget
        percent = max((limit for limit in ALERT_PERCENTS if alerted < limit <= share), default=None)
        if percent is None:
            return
        columns = {Run: "run_id", Experiment: "experiment_id", MonthlySpend: "monthly_spend_id"}
        self.model._default_manager.filter(pk=self.row["id"]).update(alerted_percent=percent)
        budget_warned(
            BudgetAlert.objects.create(
                organization_id=self.row["organization_id"],
                percent=percent,
                budget_nano=budget,
                cost_nano=self.booked,
                mail_due_at=timezone.now() if settings.MAIL_WORKS else None,
                **{columns[self.model]: self.row["id"]},
            )
        )


def reserve(paying: Sequence[Account], amount: int) -> Exception | None:
    """Reserve an amount in each account. If one account refuses, reserve nothing and return the refusal."""
    refusal = next(filter(None, (account.refusal(amount) for account in paying)), None)
    if refusal is None:
        for account in paying:
            account.held += amount
    return refusal


def book(paying: Sequence[Account], spent: int, freed: int) -> None:
    """Book a cost in each account, and free a reservation."""
    for account in paying:
        account.spent += spent
        account.held -= freed


def month_of(moment: datetime) -> date:
    return date(moment.year, moment.month, 1)


Month = tuple[int, int | None, date]
"""An account key: organization id, member id or None, first day of the month."""


Payer = tuple[int, int | None]
"""Organization id, and id of the member who launched what is paid for (None for the command line)."""


class Accounts:
    """The locked accounts that pay for the calls of some runs and of some payers.

    All transactions lock them in the same order, so that they never deadlock.
    """

    def __init__(self, run_ids: Iterable[int], months: Iterable[date], payers: Iterable[Payer] = ()):
        self.runs = _locked(Run, ("fence", "stop_request", "experiment_id"), id=run_ids)
        ids = {row["experiment_id"] for row in self.runs.values()}
        self.experiments = _locked(Experiment, ("created_by_id",), id=ids)
        self._accounts: dict[tuple[type[Budgeted], int], Account] = {}
        launched = ((row["organization_id"], row["created_by_id"]) for row in self.experiments.values())
        month_keys = {
            (organization, user, month)
            for organization, member in {*launched, *payers}
            for month in months
            for user in (member, None)
        }
        self._months = _locked_months(month_keys)
        if missing := month_keys - self._months.keys():
            open_months(missing)
            self._months = _locked_months(month_keys)

    def paying(self, run_id: int, moment: datetime) -> list[Account]:
        """The accounts that pay for a call of this run at this time."""
        run = self.runs[run_id]
        experiment = self.experiments[run["experiment_id"]]
        return [
            self._account(Run, run, "The run"),
            self._account(Experiment, experiment, "The experiment"),
            *self.paying_months((run["organization_id"], experiment["created_by_id"]), moment),
        ]

    def paying_months(self, payer: Payer, moment: datetime) -> list[Account]:
        """The accounts that pay for a call in its month: the member's and the organization's."""
        organization, member = payer
        return [
            self._account(MonthlySpend, self._months[organization, user, month_of(moment)], name)
            for user, name in ({member: "The month of who launched this"} | {None: "The organization's month"}).items()
        ]

    def write(self) -> None:
        """Write the sums of experiments and months, and the budget alerts. The batch writes the sums of the runs."""
        for model in (Experiment, MonthlySpend):
            update_many(
                model,
                "cost_nano = cost_nano + %s, reserved_nano = reserved_nano + %s",
                [
                    [a.spent, a.held, a.row["id"]]
                    for a in self._accounts.values()
                    if a.model is model and (a.spent or a.held)
                ],
            )
        for account in self._accounts.values():
            account.warn()

    def _account(self, model: type[Budgeted], row: dict[str, Any], label: str) -> Account:
        key = (model, row["id"])
        if key not in self._accounts:
            self._accounts[key] = Account(model, label, row)
        return self._accounts[key]


@cache
def _columns(model: type[Budgeted], fields: tuple[str, ...]) -> str:
    options: Any = model._meta
    return ", ".join(options.get_field(name).column for name in fields)


def _locked(model: type[Budgeted], more: tuple[str, ...], **allowed_values: Iterable[Any]) -> dict[int, dict[str, Any]]:
    """Lock rows in the order of their ids. Returns them by id. Each column must have one of its `allowed_values`.

    more: columns to read besides ACCOUNT_FIELDS

    This runs for every call. It is raw SQL, because composing the queries in the ORM took longer than the rest of the
    call.
    """
    values = {column: list(set(column_values)) for column, column_values in allowed_values.items()}
    if not all(values.values()):
        return {}
    fields = (*ACCOUNT_FIELDS, *more)
    conditions = " AND ".join(
        f"{column} IN ({', '.join(['%s'] * len(column_values))})" for column, column_values in values.items()
    )
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_columns(model, fields)} FROM {model._meta.db_table} WHERE {conditions} ORDER BY id{lock}",
            [value for column_values in values.values() for value in column_values],
        )
        return {row[0]: dict(zip(fields, row, strict=True)) for row in cursor.fetchall()}


def _locked_months(month_keys: set[Month]) -> dict[Month, dict[str, Any]]:
    organizations, months = {key[0] for key in month_keys}, {key[2] for key in month_keys}
    rows = _locked(MonthlySpend, ("user_id", "month"), organization_id=organizations, month=months)
    return {(row["organization_id"], row["user_id"], row["month"]): row for row in rows.values()}


def open_months(keys: Iterable[Month]) -> None:
    """Create the accounts of months with the current monthly budgets. Accounts that exist stay unchanged."""
    # In a fixed order, because two workers that insert the same keys could deadlock.
    rows = [
        MonthlySpend(
            organization_id=organization, user_id=user, month=month, budget_nano=_month_budget(organization, user)
        )
        for organization, user, month in sorted(keys, key=lambda key: (key[0], key[1] or 0, key[2]))
    ]
    MonthlySpend.objects.bulk_create(rows, ignore_conflicts=True)


def _month_budget(organization: int, user: int | None) -> int | None:
    organizations, members = Organization.objects.filter(pk=organization), Membership.objects.filter(user=user)
    owners: QuerySet[Any] = organizations if user is None else members.filter(organization=organization)
    return owners.values_list("monthly_budget_nano", flat=True).first()
