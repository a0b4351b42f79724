"""The gate of one key in one process. Threads queue at the gate, and one of them asks the broker for all."""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from infrastructure.limiter.alone import Alone
from infrastructure.limiter.store import Ended, Reply, Store
from infrastructure.limiter.vocabulary import CallResult, Held, Key, Limits, Pace, Slot, reason_for

STOPPED = "The run was asked to stop."
INSTANT_SECONDS = 0.05
"""Seconds of waiting after which a call asks its stop() for the first time."""
AGAIN_SECONDS = (2.0, 5.0)
"""Range of seconds after which a call that got no place tries again. The delay is drawn at random."""


@dataclass(frozen=True)
class Refusal:
    """Why the first waiter could not start.

    kind: see `reason_for`
    until: monotonic time of the next useful request
    concurrency: current limit of concurrent calls
    """

    kind: str
    until: float
    concurrency: int

    @property
    def frees_with_a_call(self) -> bool:
        """Whether the end of a call may lift the refusal: it may free a place, close the breaker or return tokens."""
        return self.kind in ("place", "probe", "tokens")


class Waiter:
    """A waiting thread.

    slot: the granted slot, None until then
    left: whether the thread went away, so that its slot has to be freed
    sleeps_until: monotonic time at which it wakes up by itself
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
        self._stop_at = now + min(INSTANT_SECONDS, pace.stop_seconds)

    def looks_at(self, now: float) -> float:
        """Return the monotonic time at which the thread has to wake up by itself."""
        return min(self._stop_at, self._deadline) if now < self._deadline else self._stop_at

    def raise_if_stopped(self) -> None:
        now = time.monotonic()
        if now < self._stop_at or self.slot:
            return
        self._stop_at = now + self._pace.stop_seconds
        if self._stop and self._stop():
            raise Held(STOPPED, 0.0)

    def raise_if_held(self, refusal: Refusal | None, limits: Limits) -> None:
        """Raise Held if the thread has waited for Pace.patience_seconds, or if the wait will certainly last longer."""
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
        raise Held(
            reason_for(refusal.kind, limits, refusal.concurrency, pace.failures),
            left if whole_key or too_long else random.uniform(*AGAIN_SECONDS),
        )


ASK_MOST = 64
# A finished call asks for 3 slots: its own, one more in case the limit grew, and one to learn that no others are free.
ASK_ON_END = 3


class Gate:
    """The queue for a key and the slots that this process holds."""

    def __init__(self, key: Key, store: Store, pace: Pace, next_token: Callable[[], str]):
        self._key, self._store, self._pace, self._next_token = key, store, pace, next_token
        self._lock = threading.Lock()
        self._queue: deque[Waiter] = deque()
        self._held: set[str] = set()
        self._limits = Limits()
        self._alone = Alone(pace)
        self._outages = store.outages  # number of outages when the broker last learned this process's hold
        self._refusal: Refusal | None = None
        self._ask_at = 0.0
        self._asking = False
        self._freed = self._freed_before = 0  # a change since the last request means that its answer is stale

    def acquire(self, limits: Limits, tokens: int, stop: Callable[[], bool] | None) -> Slot:
        """Wait for a slot. Raises Held."""
        waiter = Waiter(self._next_token(), max(0, int(tokens)), self._pace, stop)
        with self._lock:
            self._limits = limits
            self._queue.append(waiter)
        try:
            while True:
                with self._lock:
                    # Only the first thread in the queue asks, and not before _ask_at.
                    may_ask = self._queue and self._queue[0] is waiter and time.monotonic() >= self._ask_at
                    batch = self._take(ASK_MOST) if may_ask else []
                if batch:
                    self._exchange(batch)
                if waiter.slot:
                    return waiter.slot
                if not self._asking:  # otherwise the pending answer may change the refusal
                    waiter.raise_if_held(self._refusal, limits)
                self._sleep(waiter)
                waiter.raise_if_stopped()
        except BaseException:
            with self._lock:
                waiter.left = True
                if waiter in self._queue:
                    self._queue.remove(waiter)
                slot = waiter.slot
                self._wake_first()
            if slot:
                slot.done(CallResult.REFUSED)
            raise

    def end(self, slot: Slot, outcome: CallResult, tokens: int | None, retry_after: float) -> None:
        """Free a slot, once, and start waiting calls."""
        if tokens is None:
            tokens = 0 if outcome in (CallResult.LIMITED, CallResult.REFUSED) else slot.tokens
        with self._lock:
            if slot.token not in self._held:
                return
            self._held.discard(slot.token)
            may_ask = self._refusal is None or self._refusal.frees_with_a_call or time.monotonic() >= self._ask_at
            batch = self._take(ASK_ON_END) if may_ask else []
        self._exchange(batch, Ended(slot.token, outcome, slot.granted_at, retry_after, slot.tokens - tokens))

    def held(self) -> set[str]:
        with self._lock:
            return set(self._held)

    def forget(self) -> None:
        """Forget the hold of the key after a person ended it."""
        with self._lock:
            self._alone.clear()
            self._refusal, self._ask_at = None, 0.0
            self._wake_first()

    def _take(self, most: int) -> list[Waiter]:
        if self._asking or not self._queue:
            return []
        self._asking, self._freed_before = True, self._freed
        return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]

    def _exchange(self, batch: Sequence[Waiter], *ended: Ended) -> None:
        """End a call and start others in one round trip to the broker. Without the broker, this process decides."""
        with self._lock:
            outages, held = self._store.outages, len(self._held)
            carry = self._alone.left(time.monotonic()) if outages != self._outages else 0.0
        asks = [(waiter.token, waiter.tokens) for waiter in batch]
        answer = Reply(kind="place", wait=self._pace.tick_seconds)
        try:
            reply = self._store.turn(self._key, self._limits, held=held, carry=carry, ended=ended, asks=asks)
            with self._lock:
                if reply:
                    self._outages = outages
                    self._alone.learn(reply, time.monotonic())
                else:
                    for call in ended:
                        self._alone.settle(call, time.monotonic())
                answer = reply or self._alone.grant(asks, len(self._held), self._limits, time.monotonic())
        finally:
            orphans = self._finish(batch, answer, bool(ended))
        for slot in orphans:
            slot.done(CallResult.REFUSED)

    def _finish(self, batch: Sequence[Waiter], answer: Reply, freed: bool) -> list[Slot]:
        """Hand out granted slots, and put refused waiters back at the front. Returns the slots of waiters that left."""
        with self._lock:
            for waiter in batch[: answer.granted]:
                waiter.slot = Slot(self.end, waiter.token, waiter.tokens, answer.now)
                self._held.add(waiter.token)
                waiter.wake.set()
            if batch:
                self._asking = False
                self._queue.extendleft(waiter for waiter in reversed(batch[answer.granted :]) if not waiter.left)
                now, is_current = time.monotonic(), self._freed == self._freed_before
                self._refusal = Refusal(answer.kind, now + answer.wait, answer.concurrency) if answer.kind else None
                may_wait = self._refusal and (is_current or not self._refusal.frees_with_a_call)
                self._ask_at = now + min(answer.wait, self._pace.tick_seconds) if may_wait else 0.0
            elif freed and self._refusal and self._refusal.frees_with_a_call:
                self._ask_at = 0.0
            self._freed += freed
            self._wake_first()
            return [waiter.slot for waiter in batch if waiter.left and waiter.slot]

    def _wake_first(self) -> None:
        """Wake the first waiter if it would sleep past the time to ask."""
        if self._queue and not self._asking and self._queue[0].sleeps_until > self._ask_at:
            self._queue[0].wake.set()

    def _sleep(self, waiter: Waiter) -> None:
        with self._lock:
            if waiter.slot:
                return
            now = time.monotonic()
            first = bool(self._queue) and self._queue[0] is waiter and not self._asking
            waiter.sleeps_until = until = min(waiter.looks_at(now), self._ask_at if first else float("inf"))
            waiter.wake.clear()
        if until > now:
            waiter.wake.wait(until - now)
