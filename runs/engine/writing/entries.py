"""The entries that a worker commits: intent and settlement of a call, calls lost by dead workers, the end of a period.

Entries of many threads share a transaction, see group_commit.py. Each entry decides in memory what to write, while its
rows are locked.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from environments.base import Outcome
from infrastructure.fields import compressed
from infrastructure.transactions import write_transaction
from runs.conditions import conditions_key
from runs.engine import lease
from runs.engine.exceptions import Interrupted, LeaseLost
from runs.engine.writing.batch import TOTALS, Batch
from runs.engine.writing.budget_accounts import month_of
from runs.models import Exchange, ExchangeState, JobCall, Note, Period, Run
from runs.models.records import ANSWERED
from runs.saving import set_values


@dataclass
class QueuedWrite(ABC):
    """A write for a run that is leased under `fence`. If it must not be written, `refusal` says why."""

    run_id: int
    fence: int
    refusal: Exception | None = field(default=None, init=False)
    tries: int = field(default=0, init=False)

    def apply(self, batch: Batch) -> None:
        """Decide what to write. Called again if the transaction failed, or if nobody knows whether it did."""
        self.tries += 1
        run = batch.accounts.runs.get(self.run_id)
        self.refusal = None
        if run is not None and run["fence"] == self.fence:
            self.apply_leased(batch, run)
        else:
            self.refusal = LeaseLost()

    @abstractmethod
    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        """Decide what to write while the lease is held. run: the locked row of the run"""

    @property
    def moments(self) -> list[datetime]:
        """Start times of the entry's calls. A call is paid by the budget of the month in which it starts."""
        return []


@dataclass
class CallEntry(QueuedWrite):
    exchange: Exchange

    @property
    def moments(self) -> list[datetime]:
        return [self.exchange.created_at]


@dataclass
class Intent(CallEntry):
    """A call that is about to be sent. Reserves its declared maximum in every budget that pays for it."""

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        # The earlier commit may have succeeded although the database could not say so. Ids of rolled-back rows come again.
        exchange = self.exchange
        same_send = Exchange.objects.filter(
            pk=exchange.pk, run=exchange.run_id, fence=exchange.fence, period_index=exchange.period_index,
            seat=exchange.seat, attempt=exchange.attempt, step=exchange.step, send=exchange.send,
        )  # fmt: skip
        if self.tries == 1 or not same_send.exists():
            self.refusal = Interrupted() if run["stop_request"] else batch.reserve(exchange)


@dataclass
class Settlement(CallEntry):
    """The outcome of a call and its cost.

    If the lease was lost during the call, the call is booked and its reply is stored as late, but not used. The entry
    may be applied again if the result of its commit is unknown: nothing is booked twice.
    """

    def __post_init__(self) -> None:
        # Compressed here, because apply() keeps other threads waiting for the transaction.
        self._reply = None if self.exchange.reply is None else compressed(self.exchange.reply)

    def apply(self, batch: Batch) -> None:
        super().apply(batch)
        if self.refusal is None:
            return
        state, booked = stored_outcome(self.exchange)
        if state in (ExchangeState.SENT, ExchangeState.LOST):
            if self.exchange.state in ANSWERED:
                self.exchange.state = ExchangeState.LATE
                self.exchange.error = "The reply came after another worker had taken the run over."
            batch.settle(self.exchange, self._reply, open=state == ExchangeState.SENT, booked=booked)

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        if self.tries == 1 or stored_outcome(self.exchange)[0] == ExchangeState.SENT:
            batch.settle(self.exchange, self._reply)


def stored_outcome(call: Exchange | JobCall) -> tuple[str, int]:
    """The stored state of a call and its booked cost. The state is empty if the row was removed."""
    return type(call)._default_manager.filter(pk=call.pk).values_list("state", "cost_nano").first() or ("", 0)


def lost_outcome(call: Exchange | JobCall) -> dict[str, Any]:
    """The outcome of a call whose worker died, by column."""
    return {
        "state": ExchangeState.LOST,
        "error": "The worker stopped before the reply was stored; booked at its declared maximum.",
        "cost_nano": call.reserved_nano,
    }


@dataclass
class Orphans(QueuedWrite):
    """Open calls of earlier holders of the lease. They are settled from the spool, else booked as lost.

    begun: start times of these calls, read before the transaction, because they decide which months it locks
    with_lines: whether to include the lines of an open batch
    """

    spooled: dict[int, dict[str, Any]]
    begun: list[datetime] = field(default_factory=list)
    with_lines: bool = False
    closed: list[Exchange] = field(default_factory=list, init=False)

    @staticmethod
    def open_calls(run_id: int, fence: int, *, with_lines: bool) -> QuerySet[Exchange]:
        calls = Exchange.objects.filter(run=run_id, state=ExchangeState.SENT, fence__lt=fence)
        return calls if with_lines else calls.filter(batch=None)

    @property
    def moments(self) -> list[datetime]:
        return self.begun

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        self.closed = list(self.open_calls(self.run_id, self.fence, with_lines=self.with_lines))
        for exchange in self.closed:
            set_values(exchange, self.spooled.get(exchange.pk, lost_outcome(exchange)))
            batch.settle(exchange, None if exchange.reply is None else compressed(exchange.reply))


@dataclass
class PlayedPeriod:
    """A played period: its outcome, its exchanges and its notes as (seat, order, text)."""

    outcome: Outcome
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[tuple[str, int, str]] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class PeriodEnd(QueuedWrite):
    """The end of a period, and after the last period also the result of the run. Settlements have booked its calls.

    sent: the new `Run.conditions`, empty if they have not changed
    stop_request: the run's stop request, known once the entry is written
    """

    played_period: PlayedPeriod
    result: dict[str, Any]
    sent: dict[str, Any] = field(default_factory=dict)
    stop_request: str = field(default="", init=False)

    def __post_init__(self) -> None:
        # Rows are prepared here, because apply() keeps other threads waiting for the transaction.
        outcome = self.played_period.outcome
        calls = [exchange for exchange in self.played_period.exchanges if exchange.pk]
        self._period = Period(
            run_id=self.run_id,
            index=outcome.period,
            action=compressed(outcome.action),
            result=compressed(outcome.result),
            quality=outcome.quality,
            ended=outcome.ended,
            queries=len(calls),
            seconds=self.played_period.seconds,
            created_at=timezone.now(),
            **{name: sum(getattr(exchange, name) for exchange in calls) for name in (*TOTALS, "cost_nano")},
        )
        self._notes = [
            Note(run_id=self.run_id, period_index=outcome.period, seat=seat, order=order, text=text)
            for seat, order, text in self.played_period.notes
        ]
        self._results = [[compressed(exchange.results), exchange.pk] for exchange in calls if exchange.results]
        # Remove content that only later queries of the chat need, such as encrypted reasoning, to save disk space.
        self._replies = [
            [compressed(exchange.reply | {"blocks": []}), exchange.pk]
            for exchange in calls
            if exchange.reply and exchange.reply["blocks"]
        ]
        # The queries of a model are already in the journal; those of a baseline are not.
        self._unjournaled = [exchange for exchange in self.played_period.exchanges if not exchange.pk]

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        self.stop_request = run["stop_request"]
        if self.tries > 1 and Period.objects.filter(run=self.run_id, index=self._period.index).exists():
            return  # As for an Intent.
        batch.insert(self._period, *self._notes, *self._unjournaled)
        batch.end_period(self.run_id, self.played_period.outcome, self._results, self._replies)
        if self.sent:
            kept = {"conditions": self.sent, "conditions_key": conditions_key(self.sent)}
            batch.afterwards.append(lambda: Run.objects.filter(pk=self.run_id).update(**kept))
        if self.result:
            batch.afterwards.append(lambda: lease.finish(self.run_id, self.fence, self.result))


def write(entries: Sequence[QueuedWrite]) -> None:
    """Write entries in one transaction. If it raises DatabaseError, none of them is written."""
    months = {month_of(moment) for entry in entries for moment in entry.moments}
    with write_transaction():
        batch = Batch({entry.run_id for entry in entries}, months)
        for entry in entries:
            entry.apply(batch)
        batch.write()
