"""Model calls of an analysis.

They are booked like those of a run. Before a call is sent, its maximum cost is reserved in the monthly budgets that
pay for it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import InterfaceError, OperationalError, connection

from accounts.models import Endpoint
from agents.llm import ProviderFatal, ProviderRetry
from analysis.notes.models import NotesAnalysis, claims
from infrastructure.claims import Claim, ClaimLost
from infrastructure.limiter import CallResult, Held, Slot
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection, write_transaction
from runs.engine.exceptions import BudgetBusy
from runs.engine.slots import take_slot
from runs.models import Agent, ExchangeState, JobCall
from runs.services.job_calls import job_call_reserve, job_call_settle

TRIES, LONGEST_WAIT = 8, 60.0
DATABASE_SECONDS, DATABASE_PAUSE = 300.0, 1.0
"""Seconds that a paid answer waits for an unreachable database, and seconds between two tries."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class StudyCall(Generic[Answer]):
    """A call that may be sent several times.

    most_nano: its maximum cost, in billionths of a dollar
    tokens: about how many tokens it sends, for the limiter
    send: returns the answer, the billed tokens and their cost; raises ProviderRetry and ProviderFatal
    agent: an agent whose limit of concurrent calls counts too; None if there is none
    """

    endpoint: Endpoint
    model: str
    most_nano: int
    tokens: int
    send: Callable[[], tuple[Answer, int, int]]
    agent: Agent | None = None


def call_until_answered(
    analysis: NotesAnalysis, study_call: StudyCall[Answer], still_wanted: Callable[[], None]
) -> tuple[JobCall, Answer]:
    """Repeat a call until it is answered. Returns the answered call, which is not settled yet, and the answer.

    Raises ProviderFatal if every try failed, OverBudget, and any exception of `still_wanted`.
    """
    tried = 0
    while True:
        # No database connection is held while waiting: `still_wanted` releases it.
        still_wanted()
        try:
            slot, call = _reserve_call(analysis, study_call)
        except (Held, BudgetBusy) as busy:
            _wait(busy.seconds or 0.0, still_wanted)
            continue
        try:
            return call, _send_call(study_call, call, slot)
        except ProviderRetry as error:
            tried += 1
            if tried == TRIES:
                raise ProviderFatal(error.kind, error.reason) from None
            _wait(error.retry_after or 2.0**tried, still_wanted)


def settle_and_store(call: JobCall, claim: Claim, store: Callable[[], object]) -> None:
    """Book an answered call and store its answer.

    While the database is unreachable this waits, since the answer was paid for.

    Raises ClaimLost after the booking if the answer is not wanted any more.
    """
    end = time.monotonic() + DATABASE_SECONDS
    while True:
        try:
            with write_transaction():
                job_call_settle(call=call)
                if is_wanted := claims.mine(claim).exists():
                    store()
            break
        except (OperationalError, InterfaceError):
            if time.monotonic() > end or stopping.is_set():
                raise
            connection.close()
            time.sleep(DATABASE_PAUSE)
    if not is_wanted:
        raise ClaimLost


def _reserve_call(analysis: NotesAnalysis, study_call: StudyCall[Answer]) -> tuple[Slot, JobCall]:
    """Get a slot of the limiter, and commit a call with its maximum cost reserved.

    Raises Held, BudgetBusy and OverBudget.
    """
    slot = take_slot(study_call.endpoint, study_call.agent, study_call.tokens)
    call = JobCall(
        organization_id=analysis.organization_id,
        user_id=analysis.created_by_id,
        job=analysis.job,
        model=study_call.model,
        most_nano=study_call.most_nano,
    )
    try:
        job_call_reserve(call=call)
    except BaseException:
        slot.done(CallResult.REFUSED)
        raise
    let_go_of_connection()
    return slot, call


def _send_call(study_call: StudyCall[Answer], call: JobCall, slot: Slot) -> Answer:
    """Send a call and free its slot; a failed call is settled. Raises ProviderRetry and ProviderFatal."""
    try:
        answer, call.tokens, call.cost_nano = study_call.send()
    except Exception as error:
        if isinstance(error, ProviderRetry):
            may_be_billed = error.may_be_billed
            slot.done(CallResult.LIMITED if error.limited else CallResult.FAILED, retry_after=error.retry_after)
        else:
            may_be_billed = not isinstance(error, ProviderFatal)
            slot.done(CallResult.REFUSED)
        call.error = str(error)
        call.state = ExchangeState.UNKNOWN if may_be_billed else ExchangeState.FAILED
        call.cost_nano = call.most_nano if may_be_billed else 0
        job_call_settle(call=call)
        raise
    slot.done(CallResult.OK, tokens=call.tokens)
    call.state = ExchangeState.REPLIED
    return answer


def _wait(seconds: float, still_wanted: Callable[[], None]) -> None:
    end = time.monotonic() + min(seconds, LONGEST_WAIT)
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(1.0, left))
        still_wanted()
