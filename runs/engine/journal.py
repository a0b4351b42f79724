"""The journal of a period: every query of a paid model, written before it is sent and again before its reply is acted on.

After a crash the period is played again from here: committed replies are read back, only the first missing one is sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db.models import F
from django.db.models.functions import Now

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Reply
from agents.loop import Step
from runs.engine import lease
from runs.engine.writing import write_transaction
from runs.models import Agent, Exchange, ExchangeState

TOTALS = ("input_tokens", "cached_tokens", "output_tokens", "cost_nano")
"""What an exchange adds to its period and its run."""


class Journal:
    """The exchanges of one seat in one period of a run, held under one fence."""

    def __init__(self, run_id: int, fence: int, period: int, seat: str, agent: Agent):
        self.run_id = run_id
        self.fence = fence
        self.period = period
        self.seat = seat
        self.agent = agent
        self.replied: dict[Step, Exchange] = {}
        self._sends: dict[Step, int] = {}
        for exchange in Exchange.objects.filter(run_id=run_id, period_index=period, seat=seat):
            place = Step(exchange.attempt, exchange.step)
            self._sends[place] = exchange.send + 1
            if exchange.state == ExchangeState.REPLIED:
                self.replied[place] = exchange

    def query(self, place: Step, send: Callable[[], Reply]) -> Reply:
        """The reply of this place: from the journal where it is there, else by sending. Raises what `send` raises."""
        if place in self.replied:
            return Reply.from_json(self.replied[place].reply)
        exchange = self._intend(place)
        started = time.monotonic()
        try:
            reply = send()
        except (ProviderRetry, ProviderFatal) as error:
            self._close(exchange, ExchangeState.FAILED, time.monotonic() - started, error=str(error))
            raise
        self._close(exchange, ExchangeState.REPLIED, time.monotonic() - started, reply=reply)
        self.replied[place] = exchange
        return reply

    def _intend(self, place: Step) -> Exchange:
        send = self._sends.get(place, 0)
        with write_transaction():
            lease.update(self.run_id, self.fence, progressed_at=Now())
            exchange = Exchange.objects.create(
                run_id=self.run_id,
                period_index=self.period,
                seat=self.seat,
                attempt=place.attempt,
                step=place.query,
                send=send,
                fence=self.fence,
            )
        self._sends[place] = send + 1
        return exchange

    def _close(
        self, exchange: Exchange, state: ExchangeState, seconds: float, *, reply: Reply | None = None, error: str = ""
    ) -> None:
        exchange.state, exchange.seconds, exchange.error = state, seconds, error
        totals = {}
        if reply is not None:
            exchange.reply = reply.as_json()
            exchange.input_tokens = reply.usage.input_tokens
            exchange.cached_tokens = reply.usage.cached_tokens
            exchange.output_tokens = reply.usage.output_tokens
            exchange.cost_nano = self.agent.cost_nano(reply.usage)
            totals = {name: F(name) + getattr(exchange, name) for name in TOTALS} | {"queries": F("queries") + 1}
        with write_transaction():
            lease.update(self.run_id, self.fence, progressed_at=Now(), **totals)
            exchange.save()


def close_orphans(run_id: int, fence: int) -> None:
    """Exchanges sent under an earlier fence whose reply never came: their outcome is unknown, and says so."""
    with write_transaction():
        Exchange.objects.filter(run_id=run_id, state=ExchangeState.SENT, fence__lt=fence).update(
            state=ExchangeState.LOST, error="The worker stopped before the reply was stored."
        )
