"""Measures the benefit of each part of the limiter, by runs against simulated providers in virtual time.

The real `limiter.lua` runs in a separate Valkey server with a virtual clock. The queue of a worker process works as in
`infrastructure.limiter.gate`, but with events instead of threads. An experiment of 200 runs plays for ten minutes in two
workers. After two minutes 4 more runs begin in the first of these workers, and 4 in a third worker. A run makes one call
after another, each of 5 seconds on average. After a refusal it waits as long as the engine does.

Columns:
    answered: number of answered calls
    refused: number of refused calls (429, 503 or time-out)
    beside: seconds until the 4 runs in the first worker, beside 100 others, all had their first answer
    apart: the same for the 4 runs in the third worker
    after: for an outage, answered calls in the two minutes after it
"""

import hashlib
import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from benchmarks.limited_providers import OUTAGE, PROVIDERS, Answer, Provider
from infrastructure.limiter import CallResult, Limits, Pace
from infrastructure.limiter.gate import AGAIN_SECONDS, ASK_MOST, ASK_ON_END, Refusal
from infrastructure.limiter.store import Ended, Store
from tests.runs.limiter_server import Server

SECONDS, BEGIN_SMALL, AFTER_OUTAGE = 600.0, 120.0, 120.0
TOKENS, BIG, SMALL = (1000, 3000), 200, 4
FIRST_DELAY, LONGEST_DELAY, SENDS, PROBE = 2.0, 300.0, 8, 60.0
"""The waits of the engine after refused calls (`SendFailed`), in seconds. After SENDS refusals the wait is twice PROBE."""
CLOCK = (
    ("redis.call('TIME')", "{0, 0}"),
    ("clock[1] * 1000 + math.floor(clock[2] / 1000)", "tonumber(redis.call('GET', 'clock'))"),
)

NUMBERS = count()
"""Numbers of events, so that events of the same time happen in the order in which they were planned."""

Change = tuple[str, str]
VARIANTS: dict[str, tuple[dict[str, Any], tuple[Change, ...]]] = {
    "as it is": ({}, ()),
    **{f"fixed at {most}": ({"start_concurrency": most, "most_concurrency": most}, ()) for most in (16, 64, 512)},
    "no slow start": ({}, (("state.limit < state.threshold and 1 or 1 / state.limit", "1 / state.limit"),)),
    "grows unused": ({}, (("if now - state.full_at > DEMAND_MS then return end", ""),)),
    "cuts for each call": ({"cut_seconds": 0.0}, (("granted_at >= state.cut_at and now", "now"),)),
    "holds do not double": ({"hold_most_seconds": 1.0}, ()),
    "no holds of its own": ({}, (("elseif granted_at >= state.hold_at then", "elseif false then"),)),
    "breaker up to 300 s": ({"open_most_seconds": 300.0}, ()),
    "breaker always 15 s": ({"open_most_seconds": 15.0}, ()),
    "no breaker": ({"failures": 10**9}, ()),
    "no turns": ({}, (("if not has_turn(ask.wanting, ask.process, ask.held, allowed(state)) then", "if false then"),)),
}
"""By name: changed constants of Pace, and (old, new) replacements in the script."""


@dataclass
class World:
    """The virtual clock, the coming events by time, and counts of answers and refusals."""

    server: Server
    provider: Provider
    rng: random.Random
    now: float = 0.0
    answered: list[float] = field(default_factory=list)
    refused: int = 0
    events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self.events, (self.now + seconds, next(NUMBERS), act))

    def play(self) -> None:
        while self.events and self.events[0][0] <= SECONDS:
            before = self.now
            self.now, _, act = heapq.heappop(self.events)
            if self.now > before:
                self.server.client.set("clock", 10**12 + round(self.now * 1000))
            act()


@dataclass(eq=False)
class Run:
    """A run, which makes one call after another. first: seconds from its beginning to its first answer"""

    world: World
    worker: "Worker"
    began: float
    tokens: int = 0
    deadline: float = 0.0
    sends: int = 0
    first: float = math.inf

    def ask(self) -> None:
        self.tokens = self.world.rng.randint(*TOKENS)
        self.deadline = self.world.now + self.worker.pace.patience_seconds
        self.worker.enter(self)

    def send(self, token: str, granted_at: int) -> None:
        answer = self.world.provider.admit(self.world.now, self.tokens)
        self.world.provider.in_flight += 1
        self.world.after(answer.seconds, lambda: self.receive(answer, token, granted_at))

    def receive(self, answer: Answer, token: str, granted_at: int) -> None:
        world = self.world
        world.provider.in_flight -= 1
        if answer.outcome == CallResult.OK:
            world.answered.append(world.now)
            self.first, self.sends, delay = min(self.first, world.now - self.began), 0, 0.05
        else:
            world.refused += 1
            self.sends += 1
            delay = min(LONGEST_DELAY, FIRST_DELAY * 2 ** (self.sends - 1)) if self.sends < SENDS else 2 * PROBE
            delay = max(answer.retry_after, delay * world.rng.uniform(0.5, 1.0))
        world.after(delay, self.ask)
        self.worker.end(Ended(token, answer.outcome, granted_at, answer.retry_after))


class Worker:
    """A worker process with its queue for the key, as in `infrastructure.limiter.gate.Gate`."""

    def __init__(self, world: World, pace: Pace, changes: tuple[Change, ...], name: str):
        self.world, self.pace = world, pace
        self._store = Store(world.server.url, pace, name)
        for old, new in (*CLOCK, *changes):
            assert old in self._store._source, f"The script no longer has: {old}"
            self._store._source = self._store._source.replace(old, new)
        self._store._digest = hashlib.sha1(self._store._source.encode(), usedforsecurity=False).hexdigest()
        self._queue: deque[Run] = deque()
        self._refusal: Refusal | None = None
        self._ask_at, self._held = 0.0, 0
        self._tokens = (f"{name}-{number}" for number in count())

    def enter(self, run: Run) -> None:
        self._queue.append(run)
        self.world.after(self.pace.patience_seconds, self._look)
        self._look()

    def end(self, call: Ended) -> None:
        self._held -= 1
        may_ask = self._refusal is None or self._refusal.frees_with_a_call or self.world.now >= self._ask_at
        self._exchange([call], ASK_ON_END if may_ask else 0)

    def _look(self) -> None:
        """Do what the first waiting thread of a gate does when it wakes up."""
        self._send_away()
        if self._queue and self.world.now >= self._ask_at:
            self._exchange([], ASK_MOST)

    def _exchange(self, ended: list[Ended], most: int) -> None:
        batch = [self._queue.popleft() for _ in range(min(most, len(self._queue)))]
        asks = [(next(self._tokens), run.tokens) for run in batch]
        reply = self._store.turn("key", Limits(), held=self._held, ended=ended, asks=asks)
        assert reply is not None
        granted = list(zip(batch, asks, strict=True))[: reply.granted]
        self._held += len(granted)
        self._queue.extendleft(reversed(batch[reply.granted :]))
        if batch:
            now = self.world.now
            self._refusal = Refusal(reply.kind, now + reply.wait, reply.concurrency) if reply.kind else None
            wait = min(reply.wait, self.pace.tick_seconds) if reply.kind else 0.0
            self._ask_at = now + wait
            if self._queue:
                self.world.after(wait, self._look)
        elif ended and self._refusal and self._refusal.frees_with_a_call:
            self._ask_at = self.world.now
        for run, (token, _) in granted:
            run.send(token, reply.now)
        self._send_away()

    def _send_away(self) -> None:
        """Remove runs that waited or would wait too long, as `Waiter.raise_if_held` does. They ask again later."""
        refusal, now = self._refusal, self.world.now
        if refusal is None:
            return
        left = max(0.0, refusal.until - now)
        lasting = left and refusal.kind not in ("place", "probe")
        for run in list(self._queue):
            too_long = lasting and left > self.pace.short_hold_seconds and now + left > run.deadline
            if now >= run.deadline or too_long:
                self._queue.remove(run)
                whole_key = lasting and refusal.kind in ("hold", "open")
                self.world.after(left if whole_key or too_long else self.world.rng.uniform(*AGAIN_SECONDS), run.ask)


def play(server: Server, provider: str, variant: str, seed: int) -> str:
    server.client.flushdb()
    rng = random.Random(seed)
    world = World(server, PROVIDERS[provider](rng), rng)
    constants, changes = VARIANTS[variant]
    pace = Pace(slot_seconds=10**6, **constants)
    workers = [Worker(world, pace, changes, name) for name in ("first", "second", "third")]
    big = [Run(world, workers[number % 2], world.provider.big_begins) for number in range(BIG)]
    beside, apart = ([Run(world, worker, BEGIN_SMALL) for _ in range(SMALL)] for worker in (workers[0], workers[2]))
    for run in (*big, *beside, *apart):
        world.after(run.began + rng.uniform(0, 1), run.ask)
    world.play()
    firsts = [max(run.first for run in runs) for runs in (beside, apart)]
    after = sum(OUTAGE[1] <= at < OUTAGE[1] + AFTER_OUTAGE for at in world.answered)
    recovered = f"{after:>8,}" if provider.endswith("for 150 s") else ""
    return f"{len(world.answered):>8,} {world.refused:>8,} {firsts[0]:>8.1f} {firsts[1]:>8.1f} {recovered}"


def main(
    *, variants: tuple[str, ...] = tuple(VARIANTS), providers: tuple[str, ...] = tuple(PROVIDERS), seed: int = 0
) -> None:
    with closing(Server(own=True)) as server:
        for provider in providers:
            print(f"\n{provider:<26}{'answered':>8} {'refused':>8} {'beside':>8} {'apart':>8} {'after':>8}")
            for variant in variants:
                print(f"{variant:<26}{play(server, provider, variant, seed)}", flush=True)
