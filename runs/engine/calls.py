"""Make one paid model call: commit the intent and reserve the money, send the query, commit the settlement."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from agents.llm import LLM, ProviderFatal, ProviderRetry, Reply, Request, Usage
from agents.prices import half_nano
from infrastructure.limiter import CallResult, Slot
from infrastructure.processes.logs import log_ids
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection
from runs.engine.exceptions import CallRefused, Interrupted
from runs.engine.slots import take_slot
from runs.engine.writing.batch import TOKENS
from runs.engine.writing.entries import Settlement
from runs.engine.writing.group_commit import group_commit
from runs.models import Agent, Exchange, ExchangeState, JobCall
from runs.models.records import ANSWERED

CHARACTERS_PER_TOKEN = 4
"""A rough ratio for the rate limiter, which corrects its estimate after the call. Reservations use an upper bound instead."""


class Unsettled:
    """Holds the settlement of a run's last reply while the game computes, so that one transaction commits both.

    The settlement is committed before anything that follows from the reply is sent, and before any wait. If the worker
    is killed while the game computes, the call is sent again.
    """

    def __init__(self) -> None:
        self._settlement: Settlement | None = None

    def hold(self, settlement: Settlement) -> None:
        self._settlement = settlement

    def take(self) -> Settlement | None:
        """Return the held settlement and forget it. The caller must commit it. None if nothing is held."""
        settlement, self._settlement = self._settlement, None
        return settlement

    def settle(self) -> None:
        """Commit the held settlement in a transaction of its own. Raises LeaseLost."""
        if settlement := self.take():
            group_commit.settle(settlement)

    def stops(self) -> bool:
        """Commit the held settlement, because the wait for a limiter slot is long. Returns whether to stop waiting."""
        self.settle()
        return stopping.is_set()


Row = TypeVar("Row", Exchange, JobCall)


class Billed(Protocol):
    """The answer of a call: a reply, or vectors."""

    @property
    def usage(self) -> Usage | None: ...


Answer = TypeVar("Answer", bound=Billed)


@dataclass
class PaidCall(ABC, Generic[Row, Answer]):
    """A model call that is paid for. Subclasses say which budgets pay for it and how its row is written.

    If the worker is killed after `reserve`, the row stays `sent` and is later booked as lost.

    query: sends the query
    cost_nano: the cost of billed tokens, in billionths of a dollar
    """

    row: Row
    query: Callable[[], Answer]
    cost_nano: Callable[[Usage], int]

    @abstractmethod
    def reserve(self) -> None:
        """Commit the row, and reserve its maximum cost in every budget that pays. Releases the database connection.

        Raises OverBudget or BudgetBusy if the call must not be sent.
        """

    @abstractmethod
    def record(self, answer: Answer) -> int | None:
        """Set state and cost of the answered row. Returns the used tokens, None if unknown."""

    @abstractmethod
    def settle(self) -> None:
        """Commit the outcome and cost of the row, or hold an answered one, to commit it with what follows from it."""

    def bill(self, usage: Usage | None) -> int | None:
        """The cost of what the provider says that it bills; None if it does not say."""
        return None if usage is None else self.cost_nano(usage)

    def make(self, slot: Slot) -> Answer:
        """Reserve, send, settle, and free the slot. Raises ProviderRetry, ProviderFatal and what `reserve` raises."""
        try:
            self.reserve()
        except BaseException:
            slot.done(CallResult.REFUSED)
            raise
        with log_ids(call=self.row.pk):
            try:
                return self._send(slot)
            finally:
                self.settle()

    def _send(self, slot: Slot) -> Answer:
        try:
            answer = self.query()
            tokens = self.record(answer)
        except ProviderRetry as error:
            # If only the service tier is full, other calls with the key may succeed.
            failed = CallResult.REFUSED if error.kind == "capacity" else CallResult.FAILED
            slot.done(CallResult.LIMITED if error.limited else failed, retry_after=error.retry_after)
            set_failure(self.row, error.reason, self.bill(error.usage), may_be_billed=error.may_be_billed)
            raise
        except ProviderFatal as error:
            slot.done(CallResult.REFUSED)
            set_failure(self.row, error.reason, self.bill(error.usage), may_be_billed=False)
            raise
        except BaseException as error:  # an interrupted call may be billed too
            slot.done(CallResult.REFUSED)
            set_failure(self.row, f"EconEvals ended the call: {type(error).__name__}", may_be_billed=True)
            raise
        slot.done(CallResult.OK, tokens=tokens)
        return answer


@dataclass
class RunCall(PaidCall[Exchange, Reply]):
    """A call of a run, booked by group commit.

    unsettled: holds the settlement of the previous call, then that of this one. None if several threads make calls.
    """

    agent: Agent
    unsettled: Unsettled | None

    def reserve(self) -> None:
        before = self.unsettled.take() if self.unsettled else None
        group_commit.intend(self.row.run_id, self.row.fence, self.row, before)
        self._started = time.monotonic()

    def record(self, answer: Reply) -> int:
        set_reply(self.row, self.agent, answer)
        return answer.usage.input_tokens + answer.usage.output_tokens

    def settle(self) -> None:
        self.row.seconds = time.monotonic() - self._started
        settlement = Settlement(self.row.run_id, self.row.fence, self.row)
        if self.unsettled is not None and self.row.state in ANSWERED:
            self.unsettled.hold(settlement)
        else:
            group_commit.settle(settlement)


def call(agent: Agent, llm: LLM, exchange: Exchange, request: Request, unsettled: Unsettled | None = None) -> Reply:
    """Take a limiter slot and make the call of a run.

    Raises ProviderRetry, CallRefused, Held, Interrupted, OverBudget, BudgetBusy and LeaseLost.
    """
    exchange.reserved_nano = agent.most_nano(request)
    assert agent.endpoint is not None
    if stopping.is_set():
        raise Interrupted
    let_go_of_connection()
    texts = (request.system, request.prompt, *(result.text for turn in request.turns for result in turn.results))
    tokens = sum(map(len, texts)) // CHARACTERS_PER_TOKEN
    slot = take_slot(agent.endpoint, agent, tokens, unsettled.stops if unsettled else stopping.is_set)
    try:
        with log_ids(run=exchange.run_id):
            return RunCall(exchange, partial(llm.query, request), agent.cost_nano, agent, unsettled).make(slot)
    except ProviderFatal as error:
        raise CallRefused(agent, error) from None


def set_reply(exchange: Exchange, agent: Agent, reply: Reply) -> None:
    exchange.state = ExchangeState.ESTIMATED if reply.usage.estimated and agent.is_priced else ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    for name in TOKENS:
        setattr(exchange, name, getattr(reply.usage, name))
    for name, nano in (
        ("cost_nano", agent.cost_nano(reply.usage)),
        ("thinking_nano", agent.thinking_nano(reply.usage)),
    ):
        setattr(exchange, name, half_nano(nano) if exchange.batch_id or reply.is_by_flex else nano)


def set_failure(row: Exchange | JobCall, reason: str, cost_nano: int | None = None, *, may_be_billed: bool) -> None:
    """Set the outcome and the cost of a call without a reply.

    cost_nano: the cost of the tokens that the provider reports. If None, it is the reserved maximum if the call may be
        billed, else 0.
    """
    row.error = reason
    row.state = ExchangeState.FAILED if cost_nano is None and not may_be_billed else ExchangeState.UNKNOWN
    row.cost_nano = row.reserved_nano * may_be_billed if cost_nano is None else cost_nano
