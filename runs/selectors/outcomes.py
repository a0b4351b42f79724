"""Words for the state of a model call, shared by the ledger, transcripts and lists of calls."""

from dataclasses import dataclass

from infrastructure.text.formats import money
from runs.models import ExchangeState
from runs.models.records import UNCONFIRMED

LABELS = {state: str(state.label).lower() for state in ExchangeState} | {ExchangeState.SENT: "in flight"}
MEANINGS = {
    ExchangeState.ESTIMATED: "The provider does not say how many tokens it bills; booked at an upper bound.",
    ExchangeState.FAILED: "The provider answered an error and bills nothing.",
    ExchangeState.UNKNOWN: "Booked at its maximum.",
    ExchangeState.LOST: "The worker stopped during the call; booked at its maximum.",
    ExchangeState.LATE: "The reply came late, to a worker that no longer held the run; booked at its cost.",
}
_ASIDES = {
    ExchangeState.FAILED: "failed, nothing billed",
    ExchangeState.UNKNOWN: "outcome unknown, booked {}",
    ExchangeState.LOST: "worker stopped, booked {}",
    ExchangeState.LATE: "reply came late, booked {}",
}


@dataclass(frozen=True)
class CallOutcome:
    """The state of a call, as the ledger shows it.

    tone: a class of base.css; why: the error message of the provider
    """

    label: str
    tone: str
    meaning: str
    why: str


def outcome(state: str, error: str) -> CallOutcome:
    exchange_state = ExchangeState(state)
    tone = "bad" if exchange_state == ExchangeState.FAILED else "warn" if exchange_state in UNCONFIRMED else ""
    # For lost and late calls the stored error comes from EconEvals and only repeats the meaning of the state.
    why = "" if exchange_state in (ExchangeState.LOST, ExchangeState.LATE) else error
    return CallOutcome(LABELS[exchange_state], tone, MEANINGS.get(exchange_state, ""), why)


def aside(state: str, cost_nano: int, *, sent_again: bool) -> str:
    """A line about a call that is not a step: 'sent, outcome unknown, booked $0.02; sent again'."""
    line = f"sent, {_ASIDES[ExchangeState(state)].format(money(cost_nano))}"
    return f"{line}; sent again" if sent_again else line
