"""The entries for the lines of a batch: many intents or settlements in one entry."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from infrastructure.fields import compressed
from runs.engine.exceptions import Interrupted
from runs.engine.writing.batch import Batch
from runs.engine.writing.entries import QueuedWrite
from runs.models import Exchange, ExchangeState

MOST_LINES = 200
"""Most lines per transaction."""


@dataclass
class LinesEntry(QueuedWrite):
    lines: Sequence[Exchange]

    @property
    def moments(self) -> list[datetime]:
        return list({line.created_at for line in self.lines})


@dataclass
class LineIntents(LinesEntry):
    """Lines that are about to be submitted. As many are stored as the budgets allow; if none, `refusal` says why.

    stored: number of lines stored, counted from the first
    """

    stored: int = field(default=0, init=False)

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        self.stored = 0
        for line in self.lines:
            refusal = Interrupted() if run["stop_request"] else batch.reserve(line)
            if refusal is not None:
                self.refusal = None if self.stored else refusal
                return
            self.stored += 1


@dataclass
class LineSettlements(LinesEntry):
    """The outcomes of lines with their cost. A line that is already settled stays as it is."""

    def __post_init__(self) -> None:
        # Compressed here, because apply() keeps other threads waiting for the transaction.
        self._replies = {line.pk: None if line.reply is None else compressed(line.reply) for line in self.lines}

    def apply_leased(self, batch: Batch, run: dict[str, Any]) -> None:
        open_lines = Exchange.objects.filter(pk__in=list(self._replies), state=ExchangeState.SENT)
        still_open = set(open_lines.values_list("pk", flat=True))
        for line in self.lines:
            if line.pk in still_open:
                batch.settle(line, self._replies[line.pk])
