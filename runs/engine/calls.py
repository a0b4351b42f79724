"""One call of a model: a place at the limiter, the intent, the query itself, what came of it."""

from __future__ import annotations

import time
from typing import Any

import limiter
from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import LLM, Reply, Request
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from limiter import Limits, Outcome, Slot
from runs.engine.writing.entries import TOTALS, Interrupted
from runs.engine.writing.group_commit import bookkeeper
from runs.models import Agent, Exchange, ExchangeState

CHARACTERS_PER_TOKEN = 4
"""For the limiter's guess, which the true number replaces after the call; what is reserved is a bound instead."""


KEY_WIDE = ("key", "credit", "forbidden")


class Refused(Exception):
    """The provider refuses the call until a person acts. Of the kinds in KEY_WIDE it refuses the key's other calls too."""

    def __init__(self, agent: Agent, error: ProviderFatal):
        super().__init__(error.reason)
        self.agent = agent
        self.kind = error.kind
        self.reason = error.reason


class SendFailed(Exception):
    """A send that brought no reply. `sends` counts those of this exchange, `unknown` the ones that may be billed."""

    def __init__(self, error: ProviderRetry, sends: int, unknown: int):
        super().__init__(error.reason)
        self.reason = error.reason
        self.retry_after = error.retry_after
        self.may_be_billed = error.may_be_billed
        self.kind = error.kind
        self.sends = sends
        self.unknown = unknown


def call(run_id: int, fence: int, agent: Agent, llm: LLM, exchange: Exchange, request: Request) -> Reply:
    """Make a call and keep its books; no more is written once the lease is lost.

    Raises ProviderRetry, Refused, Held, Interrupted, OverBudget, BudgetBusy and LeaseLost.
    """
    exchange.reserved_nano = agent.most_nano(request)
    assert agent.endpoint is not None
    endpoint = agent.endpoint
    limits = Limits(endpoint.calls_at_once, endpoint.requests_per_minute, endpoint.tokens_per_minute)
    if stopping.is_set():
        raise Interrupted
    let_go_of_connection()
    slot = limiter.acquire(endpoint.pk, limits, _guess(request), stop=stopping.is_set)
    try:
        bookkeeper.intend(run_id, fence, exchange)
    except BaseException:
        slot.done(Outcome.REFUSED)
        raise
    started = time.monotonic()
    try:
        return _send(agent, llm, exchange, request, slot)
    finally:
        exchange.seconds = time.monotonic() - started
        bookkeeper.settle(run_id, fence, exchange)


def _send(agent: Agent, llm: LLM, exchange: Exchange, request: Request, slot: Slot) -> Reply:
    """Send, give the place at the limiter back, and note on the exchange what is to be booked."""
    try:
        reply = llm.query(request)
    except ProviderRetry as error:
        slot.done(Outcome.LIMITED if error.limited else Outcome.FAILED, retry_after=error.retry_after)
        _note_failure(exchange, error.reason, may_be_billed=error.may_be_billed)
        raise
    except ProviderFatal as error:
        slot.done(Outcome.REFUSED)
        _note_failure(exchange, error.reason, may_be_billed=False)
        raise Refused(agent, error) from None
    except Exception as error:
        slot.done(Outcome.REFUSED)
        _note_failure(exchange, f"A fault in EconEvals: {type(error).__name__}", may_be_billed=True)
        raise
    slot.done(Outcome.OK, tokens=reply.usage.input_tokens + reply.usage.output_tokens)
    exchange.state = ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    for name in TOTALS:
        setattr(exchange, name, getattr(reply.usage, name))
    exchange.cost_nano = agent.cost_nano(reply.usage)
    return reply


def _note_failure(exchange: Exchange, reason: str, *, may_be_billed: bool) -> None:
    exchange.error = reason
    exchange.state = ExchangeState.UNKNOWN if may_be_billed else ExchangeState.FAILED
    exchange.cost_nano = exchange.reserved_nano if may_be_billed else 0


def _guess(request: Request) -> int:
    texts: list[Any] = [request.system, request.prompt]
    texts += [result.text for turn in request.turns for result in turn.results]
    return sum(map(len, texts)) // CHARACTERS_PER_TOKEN
