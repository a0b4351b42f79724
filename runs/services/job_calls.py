"""Book calls of background jobs in the months that pay for them, as the engine books the calls of runs."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.utils import timezone

from agents.llm import Usage
from infrastructure.transactions import let_go_of_connection, write_transaction
from runs.engine.calls import Answer, PaidCall
from runs.engine.writing.budget_accounts import Account, Accounts, book, month_of, reserve
from runs.engine.writing.entries import lost_outcome, stored_outcome
from runs.engine.writing.group_commit import commit_outcome
from runs.models import ExchangeState, JobCall
from runs.saving import set_values

LOST_AFTER = timedelta(minutes=10)
"""Age at which a call counts as lost. No call takes that long, so its worker died."""


@dataclass
class PaidJobCall(PaidCall[JobCall, Answer]):
    """A call of a background job."""

    def reserve(self) -> None:
        with write_transaction():
            accounts, paying = _paying(self.row)
            if refusal := reserve(paying, self.row.most_nano):
                raise refusal
            accounts.write()
            self.row.save(force_insert=True)
        let_go_of_connection()

    def bill(self, usage: Usage | None) -> int | None:
        if usage is not None:
            self.row.tokens = usage.input_tokens + usage.output_tokens
        return super().bill(usage)

    def record(self, answer: Answer) -> int | None:
        self.row.state, self.row.cost_nano = ExchangeState.REPLIED, self.bill(answer.usage) or 0
        return self.row.tokens

    def settle(self) -> None:
        commit_outcome(partial(job_call_settle, call=self.row))


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
