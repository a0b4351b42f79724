"""What came of a call of a model, in words: the same on the ledger, in transcripts and in lists of calls."""

from __future__ import annotations

from dataclasses import dataclass

from infrastructure.text.formats import money
from runs.models import ExchangeState
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
    ExchangeState.UNKNOWN: "Booked at its maximum.",
    ExchangeState.LOST: "The worker stopped during the call; booked at its maximum.",
    ExchangeState.LATE: "The reply came late, to a worker that no longer held the run; booked at its cost.",
}
_TOLD = {
    ExchangeState.FAILED: "failed, nothing billed",
    ExchangeState.UNKNOWN: "outcome unknown, booked {}",
    ExchangeState.LOST: "worker stopped, booked {}",
    ExchangeState.LATE: "reply came late, booked {}",
}


@dataclass(frozen=True)
class Outcome:
    """The state of a call for the ledger. tone: a class of base.css; why: what the provider said"""

    label: str
    tone: str
    meaning: str
    why: str


def outcome(state: str, error: str) -> Outcome:
    tone = "bad" if state == ExchangeState.FAILED else "warn" if state in WASTE else ""
    meaning = MEANINGS[ExchangeState(state)] if tone else ""
    told = state in (ExchangeState.LOST, ExchangeState.LATE)  # in our own words: the meaning says the same
    return Outcome(LABELS[ExchangeState(state)], tone, meaning, "" if told else error)


def aside(state: str, cost_nano: int, *, sent_again: bool) -> str:
    """One line for a call that is no step: 'sent, outcome unknown, booked $0.02; sent again'."""
    told = _TOLD[ExchangeState(state)].format(money(cost_nano))
    return f"sent, {told}; sent again" if sent_again else f"sent, {told}"
