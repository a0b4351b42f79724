"""The journal of a period: every query of a paid model, written before it is sent and again before its reply is acted on.

After a crash the period is played again from here: committed replies are read back, only the first missing one is sent.
"""

from __future__ import annotations

from collections import Counter

from agents.errors import ProviderRetry
from agents.llm import LLM, Reply, Request
from agents.loop import Step
from runs.engine.calls import SendFailed, call
from runs.engine.writing.group_commit import bookkeeper
from runs.models import Agent, Exchange, ExchangeState

MAX_UNKNOWN = 3
"""Sends of one exchange whose outcome is unknown before the run pauses: each may have been paid for."""

MAX_LOST = 4
"""Sends of one exchange that died with their workers before the run pauses."""


class OutcomesUnknown(Exception):
    """One call was lost again and again; a person decides whether to pay for another send."""


class Journal:
    """The exchanges of one seat in one period of a run, held under one fence.

    may_be_begun: whether there may be some already; a period that follows one of this fence was not begun by anybody
    """

    def __init__(
        self, run_id: int, fence: int, period: int, seat: str, agent: Agent, llm: LLM, *, may_be_begun: bool = True
    ):
        self.run_id = run_id
        self.fence = fence
        self.period = period
        self.seat = seat
        self.agent = agent
        self.llm = llm
        self.replied: dict[Step, Exchange] = {}
        self._sends: Counter[Step] = Counter()
        self._unknown: Counter[Step] = Counter()
        written = Exchange.objects.filter(run_id=run_id, period_index=period, seat=seat)
        for exchange in written if may_be_begun else ():
            place = Step(exchange.attempt, exchange.step)
            self._sends[place] = exchange.send + 1
            self._unknown[place] += exchange.state == ExchangeState.UNKNOWN
            if exchange.state == ExchangeState.REPLIED:
                self.replied[place] = exchange

    def query(self, place: Step, request: Request) -> Reply:
        """The reply of this place: from the journal where it is there, else by a call. Raises SendFailed and what
        `calls.call` raises."""
        if place in self.replied:
            return Reply.from_json(self.replied[place].reply)
        exchange = Exchange(
            run_id=self.run_id,
            period_index=self.period,
            seat=self.seat,
            attempt=place.attempt,
            step=place.query,
            send=self._sends[place],
            fence=self.fence,
        )
        try:
            reply = call(self.run_id, self.fence, self.agent, self.llm, exchange, request)
        except ProviderRetry as error:
            raise SendFailed(error, self._sends[place] + 1, self._unknown[place] + error.may_be_billed) from None
        self.replied[place] = exchange
        return reply


def close_orphans(run_id: int, fence: int) -> None:
    """Settle what dead workers had sent. Raises OutcomesUnknown where one call was lost too often."""
    for exchange in bookkeeper.close_orphans(run_id, fence):
        if exchange.state == ExchangeState.LOST and _times_lost(exchange) % MAX_LOST == 0:
            raise OutcomesUnknown(
                f"Workers stopped during {MAX_LOST} sends of one call, and each may have been billed. Resume to send it "
                "again."
            )


def _times_lost(exchange: Exchange) -> int:
    same = {name: getattr(exchange, name) for name in ("run_id", "period_index", "seat", "attempt", "step")}
    return Exchange.objects.filter(state=ExchangeState.LOST, **same).count()
