"""Fallback limits of one process while the broker is away.

While the broker answers, the fallback stores the hold of each key. So a provider's Retry-After is also obeyed when
the broker goes away.
"""

from collections.abc import Sequence

from infrastructure.limiter.store import Ended, Reply
from infrastructure.limiter.vocabulary import CallResult, Limits, Pace


class Alone:
    """The fallback of one key. The caller holds the gate's lock; `now` is the monotonic clock in seconds."""

    def __init__(self, pace: Pace):
        self._pace = pace
        self.clear()

    def clear(self) -> None:
        self.held_until = 0.0
        self._step = 0
        self._failures = 0
        self._next_at = 0.0
        self._heard = 0

    def learn(self, reply: Reply, now: float) -> None:
        """Store the hold in an answer of the broker, which knows the calls of all processes.

        Answers that arrive after a newer one are ignored.
        """
        if reply.now < self._heard:
            return
        self._heard = reply.now
        self.held_until = now + reply.pause
        self._step = self._failures = 0

    def left(self, now: float) -> float:
        """Seconds that the key is still held."""
        return max(0.0, self.held_until - now)

    def settle(self, ended: Ended, now: float) -> None:
        pace = self._pace
        self._heard = 0  # the broker may return with another clock
        if ended.outcome == CallResult.OK:
            self._step = self._failures = 0
        elif ended.outcome == CallResult.FAILED:
            self._failures += 1
            if self._failures >= pace.failures:
                self.held_until = max(self.held_until, now + pace.open_seconds)
        elif ended.outcome == CallResult.LIMITED:
            hold = ended.retry_after or min(pace.hold_seconds * 2**self._step, pace.hold_most_seconds)
            self._step += not ended.retry_after
            self.held_until = max(self.held_until, now + hold)

    def grant(self, asks: Sequence[tuple[str, int]], held: int, limits: Limits, now: float) -> Reply:
        """Decide which calls may start: one by one, at a steady rate.

        asks: (slot, estimated tokens) of the waiting calls, first come first
        held: number of slots that this process holds for the key
        """
        most = min(self._pace.alone_concurrency, limits.concurrency or self._pace.alone_concurrency)
        granted, kind, wait = 0, "", 0.0
        for _, tokens in asks:
            if self.left(now):
                kind, wait = "hold", self.left(now)
            elif held + granted >= most:
                kind, wait = "place", self._pace.place_tick_seconds
            elif self._next_at > now:
                kind, wait = "requests" if limits.requests_per_minute else "tokens", self._next_at - now
            else:
                granted += 1
                rates = ((1, limits.requests_per_minute), (tokens, limits.tokens_per_minute))
                self._next_at = now + max(60 * amount / limit if limit else 0.0 for amount, limit in rates)
                continue
            break
        return Reply(granted, kind, wait, most, pause=self.left(now))
