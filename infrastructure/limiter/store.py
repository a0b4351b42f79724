"""Calls of the limiter's Lua script in the broker. While the broker does not answer, it is tried every few seconds."""

import hashlib
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from infrastructure.limiter.vocabulary import CallResult, Key, Limits, Pace, Status, reason_for

logger = logging.getLogger(__name__)

PREFIX = "econevals:limiter"
SCRIPT = Path(__file__).with_name("limiter.lua")


@dataclass(frozen=True)
class Ended:
    """A finished call.

    token: name of its slot
    granted_at: when its slot was granted, in milliseconds of the broker's clock; 0 if this process granted it
    retry_after: seconds, 0 if the provider named none
    refund: reserved tokens minus used tokens
    """

    token: str
    outcome: CallResult
    granted_at: int = 0
    retry_after: float = 0.0
    refund: int = 0


@dataclass(frozen=True)
class Reply:
    """The answer to a turn.

    granted: how many of the asking calls may start, in the order of the request
    kind: why the next call may not start (see reason_for); empty if all may
    wait: seconds until the next request is useful
    concurrency: current limit of concurrent calls
    now: milliseconds of the broker's clock; 0 if this process decided
    pause: seconds for which the whole key is held
    """

    granted: int = 0
    kind: str = ""
    wait: float = 0.0
    concurrency: int = 1
    now: int = 0
    pause: float = 0.0


class Store:
    """Calls the script. If the broker does not answer, methods return None, False or {}; they never raise RedisError.

    outages: number of outages of the broker so far
    """

    def __init__(self, url: str, pace: Pace, process: str):
        self._url, self._pace, self._process = url, pace, process
        self._source = _constants(pace) + SCRIPT.read_text()
        self._digest = hashlib.sha1(self._source.encode(), usedforsecurity=False).hexdigest()
        self._lock = threading.Lock()
        self._away = False
        self._try_at = 0.0
        self.outages = 0

    def turn(
        self,
        key: Key,
        limits: Limits,
        *,
        held: int,
        carry: float = 0.0,
        ended: Sequence[Ended] = (),
        asks: Sequence[tuple[str, int]] = (),
    ) -> Reply | None:
        """End calls and start others. Returns None if the broker does not answer.

        held: number of slots that this process holds
        carry: remaining seconds of a hold that the broker may not know
        asks: (slot, estimated tokens) of the waiting calls, first come first
        """
        allowed = (limits.concurrency, limits.requests_per_minute, limits.tokens_per_minute)
        calls = ((c.token, c.outcome.value, c.granted_at, _ms(c.retry_after), c.refund) for c in ended)
        row = self._call(
            "turn",
            [_key(key, part) for part in ("state", "slots", "wanting")],
            [self._process, held, _ms(carry), *(limit or 0 for limit in allowed), len(ended), *chain(*calls, *asks)],
        )
        if row is None:
            return None
        granted, kind, wait, concurrency, now, pause = row
        return Reply(granted, kind.decode(), wait / 1000, concurrency, now, pause / 1000)

    def status(self, limited: Sequence[Key]) -> dict[Key, Status]:
        rows = self._call("status", [_key(key, part) for key in limited for part in ("state", "slots")], []) or []
        statuses = {}
        for key, (in_flight, concurrency, hold, opened, open_step) in zip(limited, rows, strict=False):
            kind = "hold" if hold > opened else "open" if open_step else ""
            reason = reason_for(kind, Limits(), concurrency, self._pace.failures) if kind else ""
            statuses[key] = Status(in_flight, concurrency, max(hold, opened) / 1000, reason, open_step > 0)
        return statuses

    def reset(self, key: Key) -> bool:
        return self._call("reset", [_key(key, "state")], []) is not None

    def on_slots(self, operation: str, slots: Mapping[Key, Sequence[str]]) -> bool:
        """Renew or drop slots by key; `operation` is "renew" or "drop". Returns False while the broker is away."""
        counted = [value for tokens in slots.values() for value in (len(tokens), *tokens)]
        return self._call(operation, [_key(key, "slots") for key in slots], counted) is not None

    def _call(self, operation: str, keys: Sequence[str], values: Sequence[Any]) -> Any:
        """Return the script's answer: [] if it has none, None while the broker is away."""
        with self._lock:
            now = time.monotonic()
            # Only one thread at a time tries an absent broker.
            if self._away and now < self._try_at:
                return None
            self._try_at = now + self._pace.away_seconds
        arguments = (len(keys), *keys, operation, *values)
        try:
            try:
                answer = self._client.execute_command("EVALSHA", self._digest, *arguments)
            except NoScriptError:
                answer = self._client.execute_command("EVAL", self._source, *arguments)
        except (redis.RedisError, OSError) as error:
            self._lost(error)
            return None
        if self._away:
            with self._lock:
                self._away = False
            logger.warning("The broker answers the limiter again.")
        return [] if answer is None else answer

    def _lost(self, error: Exception) -> None:
        with self._lock:
            first, self._away = not self._away, True
            self.outages += first
            self._try_at = time.monotonic() + self._pace.away_seconds
        if first:
            logger.warning(
                "The broker does not answer the limiter; each process limits itself until it does: %s", error
            )

    @cached_property
    def _client(self) -> Any:
        """The Redis client. Its threads wait for a connection of the pool. RESP 2 is cheaper to parse than RESP 3."""
        return redis.Redis(
            connection_pool=redis.BlockingConnectionPool.from_url(
                self._url,
                max_connections=self._pace.connections,
                timeout=2 * self._pace.socket_seconds,
                socket_connect_timeout=self._pace.socket_seconds,
                socket_timeout=self._pace.socket_seconds,
                retry=Retry(NoBackoff(), retries=0),
                driver_info=None,
                protocol=2,
            )
        )


def _key(key: Key, part: str) -> str:
    return f"{PREFIX}:{{{key}}}:{part}"


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _constants(pace: Pace) -> str:
    """Return Lua constants. They are prepended to the script once instead of being sent with every call."""
    names = {
        "START": pace.start_concurrency,
        "MOST": pace.most_concurrency,
        "BURST": pace.burst,
        "CUT_MS": _ms(pace.cut_seconds),
        "DEMAND_MS": _ms(pace.demand_seconds),
        "HOLD_MS": _ms(pace.hold_seconds),
        "HOLD_MOST_MS": _ms(pace.hold_most_seconds),
        "FAILURES": pace.failures,
        "OPEN_MS": _ms(pace.open_seconds),
        "OPEN_MOST_MS": _ms(pace.open_most_seconds),
        "STATE_MS": _ms(pace.state_seconds),
        "SLOT_MS": _ms(pace.slot_seconds),
        "PLACE_MS": _ms(pace.place_tick_seconds),
        "TURN_MS": _ms(2 * pace.place_tick_seconds),
        "WANT_MS": _ms(4 * pace.place_tick_seconds),
    }
    return "".join(f"local {name} = {value}\n" for name, value in names.items())
