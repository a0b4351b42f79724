"""Simulated providers for benchmarks/limits.py. `admit` returns the answer to a call at a virtual time in seconds."""

import heapq
import math
import random
from dataclasses import dataclass, replace

from infrastructure.limiter import CallResult

OUTAGE = (240.0, 390.0)
CALL_SECONDS, TIME_OUT = (2.5, 7.5), 60.0


@dataclass
class Answer:
    outcome: CallResult
    seconds: float
    retry_after: float = 0.0


class Provider:
    """A provider without a limit. Subclasses override `admit`.

    in_flight: number of current calls
    big_begins: when the experiment of 200 runs begins, in virtual seconds
    """

    big_begins = 0.0

    def __init__(self, rng: random.Random):
        self.rng, self.in_flight = rng, 0

    def admit(self, now: float, tokens: int) -> Answer:
        return Answer(CallResult.OK, self.rng.uniform(*CALL_SECONDS))


class AtOnce(Provider):
    """Refuses calls beyond `most` at once, without Retry-After."""

    def most(self, now: float) -> int:
        return 40

    def admit(self, now: float, tokens: int) -> Answer:
        return super().admit(now, tokens) if self.in_flight < self.most(now) else Answer(CallResult.LIMITED, 0.2)


class AfterQuiet(AtOnce):
    """The same limit, but the big experiment begins after the small ones, which use little of the limit."""

    big_begins = 300.0


class Moving(AtOnce):
    """Allows 40 calls at once, but only 10 in the fourth to sixth minute."""

    def most(self, now: float) -> int:
        return 10 if 180 <= now < 360 else 40


class PerMinute(Provider):
    """A token bucket that is filled at a rate of `most` a minute and holds a tenth of `most`. Sends Retry-After."""

    most = 300.0

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self._level, self._at = self.most / 10, 0.0

    def amount(self, tokens: int) -> float:
        return 1.0

    def admit(self, now: float, tokens: int) -> Answer:
        self._level = min(self.most / 10, self._level + (now - self._at) * self.most / 60)
        self._at, missing = now, self.amount(tokens) - self._level
        if missing > 0:
            return Answer(CallResult.LIMITED, 0.2, math.ceil(missing * 60 / self.most))
        self._level -= self.amount(tokens)
        return super().admit(now, tokens)


class Unsaid(PerMinute):
    """The same limit per minute, without Retry-After."""

    def admit(self, now: float, tokens: int) -> Answer:
        return replace(super().admit(now, tokens), retry_after=0.0)


class TokensPerMinute(PerMinute):
    most = 400_000.0

    def amount(self, tokens: int) -> float:
        return tokens


class Flapping(Provider):
    """Alternates between a minute of answers and a minute of outage."""

    def is_away(self, now: float) -> bool:
        return now % 120 >= 60

    def admit(self, now: float, tokens: int) -> Answer:
        return Answer(CallResult.FAILED, 1.0) if self.is_away(now) else super().admit(now, tokens)


class Outage(Flapping):
    def is_away(self, now: float) -> bool:
        return OUTAGE[0] <= now < OUTAGE[1]


class Full(Outage):
    """Answers 429 without Retry-After during the outage."""

    def admit(self, now: float, tokens: int) -> Answer:
        return Answer(CallResult.LIMITED, 0.2) if self.is_away(now) else Provider.admit(self, now, tokens)


class OwnServer(Provider):
    """Computes 16 calls at once. Other calls wait, and time out after TIME_OUT seconds."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self._free = [0.0] * 16

    def admit(self, now: float, tokens: int) -> Answer:
        end = max(now, heapq.heappop(self._free)) + self.rng.uniform(*CALL_SECONDS)
        heapq.heappush(self._free, end)
        return Answer(CallResult.OK, end - now) if end - now < TIME_OUT else Answer(CallResult.FAILED, TIME_OUT)


PROVIDERS = {
    "no limit": Provider,
    "40 at once": AtOnce,
    "40 at once after quiet": AfterQuiet,
    "40, 10, 40 at once": Moving,
    "300 requests a minute": PerMinute,
    "the same, unsaid": Unsaid,
    "400,000 tokens a minute": TokensPerMinute,
    "a minute up, a minute away": Flapping,
    "away for 150 s": Outage,
    "429 for 150 s": Full,
    "own server, 16 at once": OwnServer,
}
