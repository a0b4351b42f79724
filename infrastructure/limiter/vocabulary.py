"""Types of the limiter: limits of a key, slots, outcomes of calls, refusals, status and constants."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

LONGEST_RETRY_AFTER = 86400.0

Key = int | str
"""Identifies what is limited: the id of an endpoint, or the name of an agent with its own limit."""


@dataclass(frozen=True)
class Limits:
    """Limits that a person entered; None means unlimited. `of` is the word in `reason_for` for what they limit."""

    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    of: str = "key"


class CallResult(StrEnum):
    """How a model call ended."""

    OK = "ok"
    LIMITED = "limited"  # 429 or an overload
    FAILED = "failed"  # 5xx, connection error, time-out
    REFUSED = "refused"  # another 4xx, or never sent; tells nothing about the endpoint


EndSlot = Callable[["Slot", CallResult, int | None, float], None]
"""Function that frees a slot. Its arguments are the slot and those of `Slot.done`."""


@dataclass(slots=True, eq=False)
class Slot:
    """The permission to make one call. done() frees it; at the latest the end of its `with` block does.

    end: called to free it
    token: its name in the broker
    tokens: tokens of the model that are reserved for the call
    granted_at: milliseconds of the broker's clock; 0 if this process granted it without the broker
    """

    end: EndSlot
    token: str
    tokens: int
    granted_at: int

    def done(self, outcome: CallResult, *, tokens: int | None = None, retry_after: float | None = None) -> None:
        """Free the slot. A second call does nothing.

        tokens: used tokens; None means all reserved tokens, or none after LIMITED and REFUSED
        retry_after: seconds that the provider asked to wait, with LIMITED
        """
        seconds = retry_after if retry_after and math.isfinite(retry_after) else 0.0
        self.end(self, CallResult(outcome), tokens, min(max(0.0, seconds), LONGEST_RETRY_AFTER))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.done(CallResult.REFUSED)


class Held(Exception):
    """No call may start now.

    reason: one sentence for a person
    seconds: time until it is useful to try again
    """

    def __init__(self, reason: str, seconds: float):
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


@dataclass(frozen=True)
class Status:
    """The status of one key on the Agents page.

    in_flight: current calls of all workers
    concurrency: current limit of concurrent calls
    held_for: seconds until the next call may start, 0 if the key is not held
    reason: one sentence why it is held, or empty
    breaker_open: whether calls are stopped after failures, until a single call succeeds
    """

    in_flight: int
    concurrency: int
    held_for: float
    reason: str
    breaker_open: bool


@dataclass(frozen=True)
class Pace:
    """Constants of the limiter. Times are seconds; tests shorten them."""

    slot_seconds: float = 20.0  # a slot that is not renewed expires after this
    start_concurrency: int = 8
    most_concurrency: int = 512  # if the owner set no limit
    burst: float = 0.1  # share of a minute's requests or tokens that may start at once
    cut_seconds: float = 1.0  # concurrency is halved at most once in this time
    demand_seconds: float = 10.0  # concurrency grows only if a call waited for a place within this time
    hold_seconds: float = 1.0  # first hold if the provider names no time; doubles
    hold_most_seconds: float = 60.0
    failures: int = 10  # failures in a row that open the breaker
    open_seconds: float = 15.0  # doubles each time the single call fails too
    open_most_seconds: float = 60.0  # a provider that is away is asked once a minute
    state_seconds: float = 3600.0  # the state of an unused key expires after this

    patience_seconds: float = 10.0  # the longest acquire() waits
    short_hold_seconds: float = 2.0  # holds up to this are waited out, even a little beyond patience_seconds
    place_tick_seconds: float = 0.25  # how often a process asks for a place freed by another one
    tick_seconds: float = 1.0  # how often a hold is checked again, since a person may end it
    stop_seconds: float = 1.0  # how often a waiting call calls its stop()

    socket_seconds: float = 1.0
    away_seconds: float = 2.0  # interval of tries while the broker is away
    alone_concurrency: int = 4  # calls per key and process while the broker is away
    connections: int = 16  # to the broker, per process


def reason_for(kind: str, limits: Limits, concurrency: int, failures: int) -> str:
    """Return a sentence for a person that says why a call must wait.

    kind: "hold", "open", "probe", "requests", "tokens" or "place", from the script or from Alone
    """
    calls = "call" if concurrency == 1 else "calls"
    failed = f"The endpoint failed {failures} times in a row; one call tries it again then."
    return {
        "hold": "The provider limits this key's rate.",
        "open": failed,
        "probe": failed,
        "requests": f"This key allows {limits.requests_per_minute} requests a minute.",
        "tokens": f"This key allows {limits.tokens_per_minute} tokens a minute.",
    }.get(kind, f"All places are taken: this {limits.of} allows {concurrency} {calls} at once.")
