"""What came of a call of a model, in words: the same on the ledger, in transcripts and in lists of calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from econevals_site.templatetags.formats import money
from runs.models import Exchange, ExchangeState
from runs.models.records import WASTE

LABELS = {
    ExchangeState.SENT: "in flight",
    ExchangeState.REPLIED: "replied",
    ExchangeState.FAILED: "failed",
    ExchangeState.UNKNOWN: "outcome unknown",
    ExchangeState.LOST: "lost",
    ExchangeState.LATE: "late",
}
MEANINGS = {
    ExchangeState.SENT: "Sent, no reply yet; its maximum is reserved.",
    ExchangeState.REPLIED: "The reply is a step of the run.",
    ExchangeState.FAILED: "The provider answered an error and bills nothing.",
    ExchangeState.UNKNOWN: "Outcome unknown, booked at its maximum.",
    ExchangeState.LOST: "The worker stopped during the call; booked at its maximum.",
    ExchangeState.LATE: "The reply came late, to a worker that no longer held the run; booked at its cost.",
}
_TOLD = {
    ExchangeState.FAILED: "failed, nothing billed",
    ExchangeState.UNKNOWN: "outcome unknown, booked {}",
    ExchangeState.LOST: "worker stopped before the reply, booked {}",
    ExchangeState.LATE: "reply came late, booked {}",
}


@dataclass(frozen=True)
class Outcome:
    """The state of a call for the ledger. tone: a class of base.css; why: a sentence, and what the provider said"""

    label: str
    tone: str
    meaning: str
    why: str


def outcome(state: str, error: str) -> Outcome:
    tone = "bad" if state == ExchangeState.FAILED else "warn" if state in WASTE else ""
    meaning = MEANINGS[ExchangeState(state)] if tone else ""
    return Outcome(LABELS[ExchangeState(state)], tone, meaning, error)


def is_step(state: str) -> bool:
    """Whether a call is, or may yet become, part of its chat."""
    return state in (ExchangeState.SENT, ExchangeState.REPLIED)


def resent(exchanges: Iterable[Exchange]) -> set[int]:
    """The numbers of those whose place in the chat was sent again later."""
    rows = list(exchanges)
    last: dict[tuple[str, int, int], int] = {}
    for row in rows:
        place = (row.seat, row.attempt, row.step)
        last[place] = max(row.send, last.get(place, 0))
    return {row.pk for row in rows if row.send < last[row.seat, row.attempt, row.step]}


def aside(exchange: Exchange, *, sent_again: bool) -> str:
    """One line for a call that is no step: 'sent, outcome unknown, booked $0.02; sent again'."""
    told = _TOLD[ExchangeState(exchange.state)].format(money(exchange.cost_nano))
    return f"sent, {told}; sent again" if sent_again else f"sent, {told}"
