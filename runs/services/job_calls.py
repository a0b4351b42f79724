"""Book calls of background jobs in the months that pay for them, as the engine books the calls of runs."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.db.models import Count, Q, Sum
from django.utils import timezone

from agents.llm import Usage
from infrastructure.text.formats import money
from infrastructure.transactions import let_go_of_connection, write_transaction
from runs.engine.calls import Answer, PaidCall
from runs.engine.writing.budget_accounts import Account, Accounts, book, month_of, reserve
from runs.engine.writing.entries import lost_outcome, stored_outcome
from runs.engine.writing.group_commit import commit_outcome
from runs.models import ExchangeState, JobCall
from runs.saving import set_values

LOST_AFTER = timedelta(minutes=10)
"""Age at which a call counts as lost. No call takes that long, so its worker died."""


class JobBudgetSpent(Exception):
    """The next call of a job could exceed the budget of the job. `reason` is a sentence."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


@dataclass
class PaidJobCall(PaidCall[JobCall, Answer]):
    """A call of a background job.

    budget_nano: the most that all calls of this job may cost; None for no limit
    """

    budget_nano: int | None = None

    def reserve(self) -> None:
        with write_transaction():
            accounts, paying = _paying(self.row)  # their locks also order the calls of one job
            if refusal := self._over_job_budget() or reserve(paying, self.row.most_nano):
                raise refusal
            accounts.write()
            self.row.save(force_insert=True)
        let_go_of_connection()

    def _over_job_budget(self) -> Exception | None:
        if self.budget_nano is None:
            return None
        spent = job_spent_nano(self.row.organization_id, self.row.job)
        if spent + self.row.most_nano <= self.budget_nano:
            return None
        return JobBudgetSpent(
            f"{money(spent)} of the budget of {money(self.budget_nano)} is spent, and the next call may cost up to "
            f"{money(self.row.most_nano)}."
        )

    def bill(self, usage: Usage | None) -> int | None:
        if usage is not None:
            self.row.tokens = usage.input_tokens + usage.output_tokens
        return super().bill(usage)

    def record(self, answer: Answer) -> int | None:
        self.row.state, self.row.cost_nano = ExchangeState.REPLIED, self.bill(answer.usage) or 0
        return self.row.tokens

    def settle(self) -> None:
        commit_outcome(partial(job_call_settle, call=self.row))


def job_spent_nano(organization_id: int, job: str) -> int:
    """The booked cost of a job, with the maximum cost of calls that have no outcome yet."""
    calls = JobCall.objects.filter(organization=organization_id, job=job)
    in_flight = Sum("most_nano", filter=Q(state=ExchangeState.SENT), default=0)
    sums = calls.aggregate(booked=Sum("cost_nano", default=0), in_flight=in_flight)
    return int(sums["booked"] + sums["in_flight"])


def job_billed(organization_id: int, job: str) -> dict[str, int]:
    """The number of calls of a job, the tokens that providers billed, and the cost in billionths of a dollar."""
    calls = JobCall.objects.filter(organization=organization_id, job=job)
    return calls.aggregate(calls=Count("id"), tokens=Sum("tokens", default=0), cost=Sum("cost_nano", default=0))


def job_call_settle(*, call: JobCall) -> None:
    """Store the outcome of a call and book its cost.

    If the call was already booked as lost, a late reply corrects the booking. Settling a call twice books nothing more.
    """
    with write_transaction():
        accounts, paying = _paying(call)
        state, booked = stored_outcome(call)
        if state not in (ExchangeState.SENT, ExchangeState.LOST):
            return
        if state == ExchangeState.LOST and call.state == ExchangeState.REPLIED:
            call.state = ExchangeState.LATE
        book(paying, call.cost_nano - booked, call.most_nano if state == ExchangeState.SENT else 0)
        accounts.write()
        call.save()


def job_calls_close() -> None:
    """Book calls whose workers died at their maximum cost, because they may have been billed."""
    for call in JobCall.objects.filter(state=ExchangeState.SENT, created_at__lt=timezone.now() - LOST_AFTER):
        set_values(call, lost_outcome(call))
        job_call_settle(call=call)


def _paying(call: JobCall) -> tuple[Accounts, list[Account]]:
    """The locked accounts, and those that pay for the call."""
    payer = (call.organization_id, call.user_id)
    accounts = Accounts((), {month_of(call.created_at)}, {payer})
    return accounts, accounts.paying_months(payer, call.created_at)
