"""Model calls of an analysis. A temporary failure is repeated; the answer is booked and stored in one transaction."""

import time
from collections.abc import Callable

from accounts.models import Endpoint
from agents.llm import ProviderFatal, ProviderRetry, Usage
from analysis.notes.models import NotesAnalysis, claims
from infrastructure.claims import Claim, ClaimLost
from infrastructure.limiter import Held
from infrastructure.transactions import write_transaction
from runs.engine.calls import Answer
from runs.engine.exceptions import BudgetBusy
from runs.engine.slots import take_slot
from runs.engine.writing.group_commit import commit_outcome
from runs.models import Agent, ExchangeState, JobCall
from runs.services.job_calls import PaidJobCall, job_call_settle

TRIES, LONGEST_WAIT = 8, 60.0


class StudyCall(PaidJobCall[Answer]):
    def settle(self) -> None:
        """Settle a failed call. An answered one is settled by `settle_and_store`."""
        if self.row.state != ExchangeState.REPLIED:
            super().settle()


def call_until_answered(
    analysis: NotesAnalysis,
    still_wanted: Callable[[], None],
    *,
    endpoint: Endpoint,
    model: str,
    most_nano: int,
    tokens: int,
    send: Callable[[], Answer],
    cost_nano: Callable[[Usage], int],
    agent: Agent | None = None,
) -> tuple[JobCall, Answer]:
    """Repeat a query until it is answered. Returns the answered call, which is not settled yet, and the answer.

    most_nano: its maximum cost; cost_nano: the cost of billed tokens; both in billionths of a dollar
    tokens: about how many it sends, for the limiter; agent: whose limit of concurrent calls counts too
    send: returns the answer; raises ProviderRetry and ProviderFatal
    Raises ProviderFatal if every try failed, OverBudget, and any exception of `still_wanted`.
    """
    tried = 0
    while True:
        # No database connection is held while waiting: `still_wanted` releases it.
        still_wanted()
        call = JobCall(
            organization_id=analysis.organization_id,
            user_id=analysis.created_by_id,
            job=analysis.job,
            model=model,
            most_nano=most_nano,
        )
        try:
            slot = take_slot(endpoint, agent, tokens)
            return call, StudyCall(call, send, cost_nano).make(slot)
        except (Held, BudgetBusy) as busy:
            _wait(busy.seconds or 0.0, still_wanted)
        except ProviderRetry as error:
            tried += 1
            if tried == TRIES:
                raise ProviderFatal(error.kind, error.reason) from None
            _wait(error.retry_after or 2.0**tried, still_wanted)


def settle_and_store(call: JobCall, claim: Claim, store: Callable[[], object]) -> None:
    """Book an answered call and store its answer.

    Raises ClaimLost after the booking if the answer is not wanted any more.
    """

    def commit() -> bool:
        with write_transaction():
            job_call_settle(call=call)
            if is_wanted := claims.mine(claim).exists():
                store()
            return is_wanted

    if not commit_outcome(commit):
        raise ClaimLost


def _wait(seconds: float, still_wanted: Callable[[], None]) -> None:
    end = time.monotonic() + min(seconds, LONGEST_WAIT)
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(1.0, left))
        still_wanted()
