"""The words of the limiter: what a key allows, how a call ended, why a call has to wait, and the constants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Limits:
    """What a key allows, as its owner wrote it down; None where nothing is set.

    concurrency: calls in flight at once
    requests_per_minute, tokens_per_minute: as providers state them
    """

    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Outcome(StrEnum):
    """How a model call ended."""

    OK = "ok"
    LIMITED = "limited"  # 429 or an overload
    FAILED = "failed"  # 5xx, connection error, time-out
    REFUSED = "refused"  # another 4xx, or never sent: says nothing about the endpoint


class Held(Exception):
    """No call now.

    reason: one plain sentence for a person
    seconds: when to try next
    """

    def __init__(self, reason: str, seconds: float):
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


@dataclass(frozen=True)
class Status:
    """One key as the Agents page shows it.

    in_flight: calls at this moment, over all workers
    concurrency: how many are let through at once now
    held_for: seconds until the next call may start, 0 where nothing holds the key
    reason: why it is held, one sentence, or empty
    breaker_open: whether the endpoint failed so often that calls stopped, until a single one succeeds
    """

    in_flight: int
    concurrency: int
    held_for: float
    reason: str
    breaker_open: bool


@dataclass(frozen=True)
class Pace:
    """The constants of the limiter. Times are seconds; tests shorten them."""

    slot_seconds: float = 20.0  # a slot nobody renews comes free after this
    start_concurrency: int = 8
    most_concurrency: int = 512  # where the owner set no limit
    burst: float = 0.1  # of a minute's requests or tokens at once
    cut_seconds: float = 1.0  # concurrency is halved at most once in this time
    demand_seconds: float = 10.0  # concurrency grows where somebody had to wait for a place in this time
    hold_seconds: float = 1.0  # the first hold where the provider does not say how long; doubles
    hold_most_seconds: float = 60.0
    failures: int = 10  # in a row, which open the breaker
    open_seconds: float = 15.0  # doubles each time the single call fails too
    open_most_seconds: float = 300.0
    state_seconds: float = 3600.0  # a key unused this long starts anew

    patience_seconds: float = 10.0  # the longest acquire() waits
    short_hold_seconds: float = 2.0  # a wait that is slept in any case
    place_tick_seconds: float = 0.25  # how often a process asks for a place that another process may have freed
    tick_seconds: float = 1.0  # how often a wait of a known length is asked about again: a person may have ended it
    stop_seconds: float = 1.0  # how often a waiting call asks its stop()

    socket_seconds: float = 1.0
    away_seconds: float = 2.0  # how often an absent broker is tried
    alone_concurrency: int = 4  # calls per key and process while the broker is away
    connections: int = 16  # to the broker, per process


def reason_for(kind: str, limits: Limits, concurrency: int, failures: int) -> str:
    """The sentence for a person. kind: as the script and Alone give it."""
    match kind:
        case "hold":
            return "The provider limits this key's rate."
        case "open" | "probe":
            return f"The endpoint failed {failures} times in a row; one call tries it again then."
        case "requests":
            return f"This key allows {limits.requests_per_minute} requests a minute."
        case "tokens":
            return f"This key allows {limits.tokens_per_minute} tokens a minute."
        case _:
            calls = "call" if concurrency == 1 else "calls"
            return f"All places are taken: this key allows {concurrency} {calls} at once."
