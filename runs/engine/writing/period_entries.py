"""The transaction that ends a period. It is shared with the calls that are journaled at the same moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from environments.base import Outcome
from infrastructure.fields import compressed
from runs.engine import lease
from runs.engine.writing.entries import TOTALS, Books, Entry
from runs.events import emit_runs_stopped
from runs.models import Exchange, Note, Period


@dataclass
class Played:
    """What a period's chats left behind, to be committed with its outcome. `notes` are (seat, order, text)."""

    outcome: Outcome
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[tuple[str, int, str]] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class PeriodEnd(Entry):
    """A period that was played: outcome, notes, results, and with the last one what the run ends with.

    What its queries cost was added to the run when their replies were journaled. wish: a person's, once it is written
    """

    played: Played
    ending: dict[str, Any]
    wish: str = field(default="", init=False)

    def __post_init__(self) -> None:
        # Made ready here, where nobody waits: one transaction carries the entries of many threads.
        outcome = self.played.outcome
        asked = [exchange for exchange in self.played.exchanges if exchange.pk]
        totals = {name: sum(getattr(exchange, name) for exchange in asked) for name in (*TOTALS, "cost_nano")}
        self._period = Period(
            run_id=self.run_id,
            index=outcome.period,
            action=compressed(outcome.action),
            result=compressed(outcome.result),
            quality=outcome.quality,
            ended=outcome.ended,
            queries=len(asked),
            seconds=self.played.seconds,
            created_at=timezone.now(),
            **totals,
        )
        self._notes = [
            Note(run_id=self.run_id, period_index=outcome.period, seat=seat, order=order, text=text)
            for seat, order, text in self.played.notes
        ]
        self._results = [[compressed(exchange.results), exchange.pk] for exchange in asked if exchange.results]
        # What a model was asked is in the journal already; what a baseline did is written only now.
        self._unjournaled = [exchange for exchange in self.played.exchanges if not exchange.pk]

    def enter(self, books: Books) -> None:
        run = books.accounts.runs.get(self.run_id)
        if run is None or run["fence"] != self.fence:
            self.refusal = lease.LeaseLost()
            return
        self.wish = run["wish"]
        books.insert(self._period, *self._notes, *self._unjournaled)
        books.end_period(self.run_id, self.played.outcome, self._results)
        if self.ending:
            books.afterwards.append(self._end_run)

    def _end_run(self) -> None:
        lease.update(self.run_id, self.fence, **self.ending)
        emit_runs_stopped([self.run_id])
