"""A thread that waits for a slot, and how long it waits."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from limiter.vocabulary import Held, Limits, Pace, Slot, reason_for

STOPPED = "The run was asked to stop."
AGAIN_SECONDS = (2.0, 5.0)
"""Range of delays before a call that got no place tries again."""


@dataclass(frozen=True)
class Refusal:
    """Why the first waiter could not start. until: monotonic time of the next useful request"""

    kind: str
    until: float
    concurrency: int

    @property
    def frees_with_a_call(self) -> bool:
        """Whether the end of any call may change it: it frees a place, closes the breaker or returns tokens."""
        return self.kind in ("place", "probe", "tokens")


class Waiter:
    """A waiting thread.

    slot: the granted slot
    left: the thread went away, so its slot has to be freed
    sleeps_until: when it wakes up by itself
    """

    __slots__ = ("token", "tokens", "slot", "left", "sleeps_until", "wake", "_pace", "_deadline", "_stop", "_stop_at")

    def __init__(self, token: str, tokens: int, pace: Pace, stop: Callable[[], bool] | None):
        now = time.monotonic()
        self.token, self.tokens = token, tokens
        self.slot: Slot | None = None
        self.left = False
        self.sleeps_until = now
        self.wake = threading.Event()
        self._pace = pace
        self._deadline = now + pace.patience_seconds
        self._stop = stop
        self._stop_at = now + pace.stop_seconds

    def looks_at(self, now: float) -> float:
        """When it has to wake up by itself."""
        return min(self._stop_at, self._deadline) if now < self._deadline else self._stop_at

    def raise_if_stopped(self) -> None:
        now = time.monotonic()
        if now < self._stop_at or self.slot:
            return
        self._stop_at = now + self._pace.stop_seconds
        if self._stop and self._stop():
            raise Held(STOPPED, 0.0)

    def raise_if_held(self, refusal: Refusal | None, limits: Limits) -> None:
        """Raise Held if patience is over, or if the wait is known to outlast it."""
        if refusal is None:
            return
        now, pace = time.monotonic(), self._pace
        left = max(0.0, refusal.until - now)
        lasting = left and refusal.kind not in ("place", "probe")
        too_long = lasting and left > pace.short_hold_seconds and now + left > self._deadline
        if now < self._deadline and not too_long:
            return
        whole_key = lasting and refusal.kind in ("hold", "open")
        if whole_key and now + left <= self._deadline + pace.short_hold_seconds:
            return
        reason = reason_for(refusal.kind, limits, refusal.concurrency, pace.failures)
        raise Held(reason, left if whole_key or too_long else random.uniform(*AGAIN_SECONDS))
