"""Makes one model call: takes a limiter slot, commits the intent, sends the query, commits the settlement."""

import time

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import LLM, Reply, Request
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
        _set_failure(exchange, error.reason, may_be_billed=error.may_be_billed)
        raise
    except ProviderFatal as error:
        slot.done(CallResult.REFUSED)
        _set_failure(exchange, error.reason, may_be_billed=False)
        raise Refused(agent, error) from None
    except Exception as error:
        slot.done(CallResult.REFUSED)
        _set_failure(exchange, f"A fault in EconEvals: {type(error).__name__}", may_be_billed=True)
        raise
    slot.done(CallResult.OK, tokens=reply.usage.input_tokens + reply.usage.output_tokens)
    exchange.state = ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    for name in TOTALS:
        setattr(exchange, name, getattr(reply.usage, name))
    exchange.cost_nano = agent.cost_nano(reply.usage)
    return reply


def _set_failure(exchange: Exchange, reason: str, *, may_be_billed: bool) -> None:
    exchange.error = reason
    exchange.state = ExchangeState.UNKNOWN if may_be_billed else ExchangeState.FAILED
    exchange.cost_nano = exchange.reserved_nano if may_be_billed else 0
