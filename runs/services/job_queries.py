"""Model calls of a background job. A temporary failure is repeated; the answer is booked and stored in one transaction."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from accounts.models import Endpoint
from agents.llm import LLM, ProviderFatal, ProviderRetry, Reply, Request, Usage
from agents.sizes import most_input_tokens
from infrastructure.claims import Claim, ClaimLost, Claims
from infrastructure.limiter import Held
from infrastructure.transactions import write_transaction
from runs.engine.calls import Answer
from runs.engine.exceptions import MAX_UNKNOWN, BudgetBusy
from runs.engine.slots import take_slot
from runs.engine.writing.group_commit import commit_outcome
from runs.models import Agent, ExchangeState, JobCall
from runs.services.job_calls import PaidJobCall, job_call_settle

TRIES, LONGEST_WAIT = 8, 60.0


@dataclass(frozen=True)
class Payer:
    """What the calls of a job are booked for: the organization, its member, the name of the job, and its own budget.

    budget_nano: the most that all calls of the job may cost, in billionths of a dollar; None for no limit
    """

    organization_id: int
    user_id: int | None
    job: str
    budget_nano: int | None = None

    def call(self, model: str, most_nano: int) -> JobCall:
        """A new call of the job, which is not stored yet."""
        return JobCall(
            organization_id=self.organization_id, user_id=self.user_id, job=self.job, model=model, most_nano=most_nano
        )


class StoredCall(PaidJobCall[Answer]):
    def settle(self) -> None:
        """Settle a failed call. An answered one is settled by `settle_and_store`."""
        if self.row.state != ExchangeState.REPLIED:
            super().settle()


def call_until_answered(
    payer: Payer,
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
    Raises ProviderFatal if every try failed, or if MAX_UNKNOWN tries may each have been billed. Raises OverBudget,
    JobBudgetSpent, and any exception of `still_wanted`.
    """
    tried = unknown = 0
    while True:
        # No database connection is held while waiting: `still_wanted` releases it.
        still_wanted()
        call = payer.call(model, most_nano)
        try:
            slot = take_slot(endpoint, agent, tokens)
            return call, StoredCall(call, send, cost_nano, payer.budget_nano).make(slot)
        except (Held, BudgetBusy) as busy:
            _wait(busy.seconds or 0.0, still_wanted)
        except ProviderRetry as error:
            tried, unknown = tried + 1, unknown + error.may_be_billed
            if tried == TRIES or unknown == MAX_UNKNOWN:
                raise ProviderFatal(error.kind, error.reason) from None
            _wait(error.retry_after or 2.0**tried, still_wanted)


def agent_query(
    payer: Payer, agent: Agent, llm: LLM, request: Request, still_wanted: Callable[[], None]
) -> tuple[JobCall, Reply]:
    """Send a request without tools to the model of an agent. Results and errors as in `call_until_answered`."""
    assert agent.endpoint is not None
    return call_until_answered(
        payer,
        still_wanted,
        endpoint=agent.endpoint,
        model=agent.model,
        most_nano=agent.most_nano(request),
        tokens=most_input_tokens(request),
        send=partial(llm.query, request),
        cost_nano=agent.cost_nano,
        agent=agent,
    )


def settle_and_store(call: JobCall, claims: Claims[Any], claim: Claim, store: Callable[[], object]) -> None:
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
