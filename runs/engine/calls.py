"""Makes one model call: takes a limiter slot, commits the intent, sends the query, commits the settlement."""

import time

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import LLM, Reply, Request, Usage
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.log_context import log_ids
from infrastructure.processes.stopping import stopping
from limiter import CallResult, Slot
from runs.engine.exceptions import Interrupted, Refused
from runs.engine.slots import take_slot
from runs.engine.writing.batch import TOTALS
from runs.engine.writing.group_commit import group_commit
from runs.models import Agent, Exchange, ExchangeState

CHARACTERS_PER_TOKEN = 4
"""For the limiter's estimate, which the true count replaces after the call. Reservations use an upper bound instead."""


def call(run_id: int, fence: int, agent: Agent, llm: LLM, exchange: Exchange, request: Request) -> Reply:
    """Make a call and commit its intent and settlement.

    Raises ProviderRetry, Refused, Held, Interrupted, OverBudget, BudgetBusy and LeaseLost.
    """
    exchange.reserved_nano = agent.most_nano(request)
    assert agent.endpoint is not None
    if stopping.is_set():
        raise Interrupted
    let_go_of_connection()
    results = [result.text for turn in request.turns for result in turn.results]
    tokens = sum(map(len, (request.system, request.prompt, *results))) // CHARACTERS_PER_TOKEN
    slot = take_slot(agent.endpoint, agent, tokens, stopping.is_set)
    try:
        group_commit.intend(run_id, fence, exchange)
    except BaseException:
        slot.done(CallResult.REFUSED)
        raise
    started = time.monotonic()
    with log_ids(run=run_id, call=exchange.pk):
        try:
            return _send(agent, llm, exchange, request, slot)
        finally:
            exchange.seconds = time.monotonic() - started
            group_commit.settle(run_id, fence, exchange)


def _send(agent: Agent, llm: LLM, exchange: Exchange, request: Request, slot: Slot) -> Reply:
    """Send the query, free the limiter slot and set state, reply and cost of the exchange."""
    try:
        reply = llm.query(request)
    except ProviderRetry as error:
        slot.done(CallResult.LIMITED if error.limited else CallResult.FAILED, retry_after=error.retry_after)
        _set_failure(exchange, error.reason, _cost(agent, exchange, error.usage, may_be_billed=error.may_be_billed))
        raise
    except ProviderFatal as error:
        slot.done(CallResult.REFUSED)
        _set_failure(exchange, error.reason, _cost(agent, exchange, error.usage, may_be_billed=False))
        raise Refused(agent, error) from None
    except Exception as error:
        slot.done(CallResult.REFUSED)
        _set_failure(exchange, f"A fault in EconEvals: {type(error).__name__}", exchange.reserved_nano)
        raise
    slot.done(CallResult.OK, tokens=reply.usage.input_tokens + reply.usage.output_tokens)
    exchange.state = ExchangeState.ESTIMATED if reply.usage.estimated and agent.is_priced else ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    for name in TOTALS:
        setattr(exchange, name, getattr(reply.usage, name))
    exchange.cost_nano = agent.cost_nano(reply.usage)
    return reply


def _cost(agent: Agent, exchange: Exchange, usage: Usage | None, *, may_be_billed: bool) -> int | None:
    """What a call without a reply costs: what the provider names, else its declared maximum, None if it is not billed."""
    if usage is not None:
        return agent.cost_nano(usage)
    return exchange.reserved_nano if may_be_billed else None


def _set_failure(exchange: Exchange, reason: str, cost_nano: int | None) -> None:
    exchange.error = reason
    exchange.state = ExchangeState.FAILED if cost_nano is None else ExchangeState.UNKNOWN
    exchange.cost_nano = cost_nano or 0
