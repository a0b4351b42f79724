"""Book calls of background jobs in the months that pay for them, as the engine books the calls of runs."""

from datetime import timedelta

from django.utils import timezone

from infrastructure.transactions import write_transaction
from runs.engine.writing.budget_accounts import Accounts, month_of
from runs.models import ExchangeState, JobCall

LOST_AFTER = timedelta(minutes=10)
"""Age at which a call counts as lost. No call takes that long, so its worker died."""


def job_call_reserve(*, call: JobCall) -> None:
    """Commit that a call is about to be sent, and reserve its maximum cost.

    Raises OverBudget or BudgetBusy if it must not be sent.
    """
    with write_transaction():
        accounts = _accounts(call)
        paying = accounts.paying_months((call.organization_id, call.user_id), call.created_at)
        if refusal := next(filter(None, (account.refusal(call.most_nano) for account in paying)), None):
            raise refusal
        for account in paying:
            account.held += call.most_nano
        accounts.write()
        call.save(force_insert=True)


def job_call_settle(*, call: JobCall) -> None:
    """Store the outcome of a call and book its cost.

    If the call was already booked as lost, a late reply corrects the booking. Settling a call twice books nothing more.
    """
    with write_transaction():
        accounts = _accounts(call)
        stored = JobCall.objects.filter(pk=call.pk).values_list("state", "cost_nano").first()
        state, booked = stored or ("", 0)
        if state not in (ExchangeState.SENT, ExchangeState.LOST):
            return
        if state == ExchangeState.LOST and call.state == ExchangeState.REPLIED:
            call.state = ExchangeState.LATE
        for account in accounts.paying_months((call.organization_id, call.user_id), call.created_at):
            account.held -= call.most_nano if state == ExchangeState.SENT else 0
            account.spent += call.cost_nano - booked
        accounts.write()
        call.save()


def job_calls_close() -> None:
    """Book calls whose workers died at their maximum cost, because they may have been billed."""
    for call in JobCall.objects.filter(state=ExchangeState.SENT, created_at__lt=timezone.now() - LOST_AFTER):
        call.state, call.cost_nano = ExchangeState.LOST, call.most_nano
        call.error = "The worker stopped before the reply was stored; booked at its declared maximum."
        job_call_settle(call=call)


def _accounts(call: JobCall) -> Accounts:
    return Accounts((), {month_of(call.created_at)}, {(call.organization_id, call.user_id)})
