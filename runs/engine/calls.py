"""Make one model call: take a limiter slot, commit the intent, send the query, commit the settlement."""

import time

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
from runs.models import Agent, Exchange, ExchangeState
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


def call(
    run_id: int,
    fence: int,
    agent: Agent,
    llm: LLM,
    exchange: Exchange,
    request: Request,
    unsettled: Unsettled | None = None,
) -> Reply:
    """Make a call and commit its intent and settlement.

    unsettled: holds the settlement of the previous call, then that of this one. None if several threads make calls.
    Raises ProviderRetry, CallRefused, Held, Interrupted, OverBudget, BudgetBusy and LeaseLost.
    """
    exchange.reserved_nano = agent.most_nano(request)
    assert agent.endpoint is not None
    if stopping.is_set():
        raise Interrupted
    let_go_of_connection()
    results = [result.text for turn in request.turns for result in turn.results]
    tokens = sum(map(len, (request.system, request.prompt, *results))) // CHARACTERS_PER_TOKEN
    slot = take_slot(agent.endpoint, agent, tokens, unsettled.stops if unsettled else stopping.is_set)
    try:
        group_commit.intend(run_id, fence, exchange, unsettled.take() if unsettled else None)
    except BaseException:
        slot.done(CallResult.REFUSED)
        raise
    started = time.monotonic()
    with log_ids(run=run_id, call=exchange.pk):
        try:
            return _send(agent, llm, exchange, request, slot)
        finally:
            exchange.seconds = time.monotonic() - started
            settlement = Settlement(run_id, fence, exchange)
            if unsettled is not None and exchange.state in ANSWERED:
                unsettled.hold(settlement)
            else:
                group_commit.settle(settlement)


def _send(agent: Agent, llm: LLM, exchange: Exchange, request: Request, slot: Slot) -> Reply:
    """Send the query, free the limiter slot and set state, reply and cost of the exchange."""
    try:
        reply = llm.query(request)
    except ProviderRetry as error:
        # If only the service tier is full, other calls with the key may succeed.
        failed = CallResult.REFUSED if error.kind == "capacity" else CallResult.FAILED
        slot.done(CallResult.LIMITED if error.limited else failed, retry_after=error.retry_after)
        set_failure(exchange, agent, error.reason, usage=error.usage, may_be_billed=error.may_be_billed)
        raise
    except ProviderFatal as error:
        slot.done(CallResult.REFUSED)
        set_failure(exchange, agent, error.reason, usage=error.usage, may_be_billed=False)
        raise CallRefused(agent, error) from None
    except Exception as error:
        slot.done(CallResult.REFUSED)
        set_failure(exchange, agent, f"A fault in EconEvals: {type(error).__name__}", may_be_billed=True)
        raise
    tokens = reply.usage.input_tokens + reply.usage.output_tokens
    slot.done(CallResult.OK, tokens=tokens)
    set_reply(exchange, agent, reply)
    return reply


def set_reply(exchange: Exchange, agent: Agent, reply: Reply) -> None:
    exchange.state = ExchangeState.ESTIMATED if reply.usage.estimated and agent.is_priced else ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    for name in TOKENS:
        setattr(exchange, name, getattr(reply.usage, name))
    is_cheaper = bool(exchange.batch_id) or reply.is_by_flex
    exchange.cost_nano = _booked(agent.cost_nano(reply.usage), is_cheaper=is_cheaper)
    exchange.thinking_nano = _booked(agent.thinking_nano(reply.usage), is_cheaper=is_cheaper)


def set_failure(
    exchange: Exchange, agent: Agent, reason: str, *, usage: Usage | None = None, may_be_billed: bool
) -> None:
    """Set the outcome and the cost of a call without a reply.

    The cost is that of the tokens that the provider reports. Without a report it is the declared maximum if the call
    may be billed, else 0.
    """
    exchange.error = reason
    is_billed = usage is not None or may_be_billed
    exchange.state = ExchangeState.UNKNOWN if is_billed else ExchangeState.FAILED
    exchange.cost_nano = exchange.reserved_nano if is_billed else 0
    if usage is not None:
        exchange.cost_nano = _booked(agent.cost_nano(usage), is_cheaper=bool(exchange.batch_id))


def _booked(nano: int, *, is_cheaper: bool) -> int:
    return half_nano(nano) if is_cheaper else nano
