"""The gate of one key in one process: its threads wait here in line, and one of them asks the broker for all."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from limiter.alone import Alone
from limiter.slot import Slot
from limiter.store import Ended, Reply, Store
from limiter.vocabulary import Limits, Outcome, Pace
from limiter.waiting import Refusal, Waiter

ASK_MOST = 64
# A call that ends asks for the place it gives back, one more where the limit grew, and one to learn there are no others.
ASK_ON_END = 3


class Gate:
    """The line for a key and the slots this process holds of it."""

    def __init__(self, endpoint_id: int, store: Store, pace: Pace, next_token: Callable[[], str]):
        self._endpoint_id, self._store, self._pace, self._next_token = endpoint_id, store, pace, next_token
        self._lock = threading.Lock()
        self._line: deque[Waiter] = deque()
        self._held: set[str] = set()
        self._limits = Limits()
        self._alone = Alone(pace)
        self._outages = store.outages  # after which the broker was told of this process's hold
        self._refusal: Refusal | None = None
        self._ask_at = 0.0
        self._asking = False
        self._freed = self._freed_before = 0  # a place given back during a question makes the answer old

    def acquire(self, limits: Limits, tokens: int, stop: Callable[[], bool] | None) -> Slot:
        """Wait in line for a slot. Raises Held."""
        waiter = Waiter(self._next_token(), max(0, int(tokens)), self._pace, stop)
        with self._lock:
            self._limits = limits
            self._line.append(waiter)
        try:
            while True:
                if asked := self._take_first(waiter):
                    self._exchange(None, asked)
                if waiter.slot:
                    return waiter.slot
                if not self._asking:  # the answer may change what is known
                    waiter.raise_if_held(self._refusal, limits)
                self._sleep(waiter)
                waiter.raise_if_stopped()
        except BaseException:
            self._leave(waiter)
            raise

    def end(self, slot: Slot, outcome: Outcome, tokens: int | None, retry_after: float) -> None:
        """Take a slot back, once, and hand its place on."""
        with self._lock:
            if slot.token not in self._held:
                return
            self._held.discard(slot.token)
            known = self._refusal is None or self._refusal.frees_with_a_call or time.monotonic() >= self._ask_at
            asked = self._take(ASK_ON_END) if known else []
        if tokens is None:
            tokens = 0 if outcome in (Outcome.LIMITED, Outcome.REFUSED) else slot.tokens
        self._exchange(Ended(slot.token, outcome, slot.granted_at, retry_after, slot.tokens - tokens), asked)

    def held(self) -> set[str]:
        with self._lock:
            return set(self._held)

    def forget(self) -> None:
        """A person ended the hold."""
        with self._lock:
            self._alone.clear()
            self._refusal, self._ask_at = None, 0.0
            self._wake_first()

    def _take_first(self, waiter: Waiter) -> list[Waiter]:
        """Those this thread asks for now: only the first in line asks, and not too early."""
        with self._lock:
            if not self._line or self._line[0] is not waiter or time.monotonic() < self._ask_at:
                return []
            return self._take(ASK_MOST)

    def _take(self, most: int) -> list[Waiter]:
        if self._asking or not self._line:
            return []
        self._asking, self._freed_before = True, self._freed
        return [self._line.popleft() for _ in range(min(most, len(self._line)))]

    def _exchange(self, ended: Ended | None, asked: Sequence[Waiter]) -> None:
        """One round trip: end a call, start others. Without the broker this process decides."""
        with self._lock:
            outages, held = self._store.outages, len(self._held)
            carry = self._alone.left(time.monotonic()) if outages != self._outages else 0.0
        asks = [(waiter.token, waiter.tokens) for waiter in asked]
        answer = Reply(kind="place", wait=self._pace.tick_seconds)
        try:
            reply = self._store.turn(self._endpoint_id, self._limits, held=held, carry=carry, ended=ended, asks=asks)
            with self._lock:
                if reply:
                    self._outages = outages
                    self._alone.learn(reply, time.monotonic())
                answer = reply or self._alone_answer(ended, asks)
        finally:
            orphans = self._finish(asked, answer, ended is not None)
        for slot in orphans:
            slot.done(Outcome.REFUSED)

    def _alone_answer(self, ended: Ended | None, asks: Sequence[tuple[str, int]]) -> Reply:
        now = time.monotonic()
        if ended:
            self._alone.settle(ended, now)
        return self._alone.grant(asks, len(self._held), self._limits, now)

    def _finish(self, asked: Sequence[Waiter], answer: Reply, freed: bool) -> list[Slot]:
        """Hand out what was granted, put the others back in front; the slots of those that went away meanwhile."""
        with self._lock:
            for waiter in asked[: answer.granted]:
                waiter.slot = Slot(self.end, waiter.token, waiter.tokens, answer.now)
                self._held.add(waiter.token)
                waiter.wake.set()
            if asked:
                self._asking = False
                refused = [waiter for waiter in asked[answer.granted :] if not waiter.left]
                self._line.extendleft(reversed(refused))
                self._remember(answer)
            elif freed and self._refusal and self._refusal.frees_with_a_call:
                self._ask_at = 0.0
            self._freed += freed
            self._wake_first()
            return [waiter.slot for waiter in asked if waiter.left and waiter.slot]

    def _remember(self, answer: Reply) -> None:
        if not answer.kind:
            self._refusal, self._ask_at = None, 0.0
            return
        now = time.monotonic()
        self._refusal = Refusal(answer.kind, now + answer.wait, answer.concurrency)
        if self._refusal.frees_with_a_call and self._freed != self._freed_before:
            self._ask_at = 0.0
        else:
            self._ask_at = now + min(answer.wait, self._pace.tick_seconds)

    def _wake_first(self) -> None:
        """Wake the first in line where it would sleep past the time to ask."""
        if self._line and not self._asking and self._line[0].sleeps_until > self._ask_at:
            self._line[0].wake.set()

    def _sleep(self, waiter: Waiter) -> None:
        with self._lock:
            if waiter.slot:
                return
            now = time.monotonic()
            first = bool(self._line) and self._line[0] is waiter and not self._asking
            waiter.sleeps_until = until = min(waiter.looks_at(now), self._ask_at if first else float("inf"))
            waiter.wake.clear()
        if until > now:
            waiter.wake.wait(until - now)

    def _leave(self, waiter: Waiter) -> None:
        with self._lock:
            waiter.left = True
            if waiter in self._line:
                self._line.remove(waiter)
            slot = waiter.slot
            self._wake_first()
        if slot:
            slot.done(Outcome.REFUSED)
