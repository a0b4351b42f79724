"""The limiter's side of the broker: one script, called over a few connections, and left alone while nobody answers."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from limiter.vocabulary import Limits, Outcome, Pace, Status, reason_for

logger = logging.getLogger(__name__)

PREFIX = "econevals:limiter"
SCRIPT = Path(__file__).with_name("limiter.lua")


@dataclass(frozen=True)
class Ended:
    """A call that is over.

    granted_at: when its slot was granted, milliseconds of the server; 0 where it was granted in this process
    retry_after: seconds, 0 where the provider did not say
    refund: tokens reserved and not used; negative where more were used
    """

    token: str
    outcome: Outcome
    granted_at: int = 0
    retry_after: float = 0.0
    refund: int = 0


@dataclass(frozen=True)
class Reply:
    """What a turn gave.

    granted: how many of those that asked may start, from the first
    kind: why the next one may not (see reason_for), empty where all may
    wait: seconds until it is worth asking again
    concurrency: calls at once now
    now: milliseconds of the server, 0 where the answer is this process's own
    pause: seconds the whole key is held
    """

    granted: int = 0
    kind: str = ""
    wait: float = 0.0
    concurrency: int = 1
    now: int = 0
    pause: float = 0.0


class Store:
    """Calls of the script. Each gives None where the broker does not answer; nothing raises RedisError.

    outages: how often the broker went away so far
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
        endpoint_id: int,
        limits: Limits,
        *,
        held: int,
        carry: float = 0.0,
        ended: Ended | None = None,
        asks: Sequence[tuple[str, int]] = (),
    ) -> Reply | None:
        """End a call and start others.

        held: slots of this process, without those asked for
        carry: seconds this process knows the key to be held, which the broker may not know
        asks: slot and estimated tokens, first come first
        """
        values: list[Any] = [
            self._process,
            held,
            _ms(carry),
            limits.concurrency or 0,
            limits.requests_per_minute or 0,
            limits.tokens_per_minute or 0,
        ]
        if ended:
            values += [ended.token, ended.outcome.value, ended.granted_at, _ms(ended.retry_after), ended.refund]
        else:
            values += ["", "", 0, 0, 0]
        for ask in asks:
            values += ask
        keys = [_key(endpoint_id, "state"), _key(endpoint_id, "slots"), _key(endpoint_id, "wanting")]
        row = self._call("turn", keys, values)
        if row is None:
            return None
        granted, kind, wait, concurrency, now, pause = row
        return Reply(granted, kind.decode(), wait / 1000, concurrency, now, pause / 1000)

    def renew(self, slots: Mapping[int, Sequence[str]]) -> bool:
        return self._on_slots("renew", slots)

    def drop(self, slots: Mapping[int, Sequence[str]]) -> bool:
        return self._on_slots("drop", slots)

    def status(self, endpoint_ids: Sequence[int]) -> dict[int, Status]:
        keys = [_key(endpoint_id, part) for endpoint_id in endpoint_ids for part in ("state", "slots")]
        rows = self._call("status", keys, []) or []
        return {endpoint_id: self._status(row) for endpoint_id, row in zip(endpoint_ids, rows, strict=False)}

    def reset(self, endpoint_id: int) -> bool:
        return self._call("reset", [_key(endpoint_id, "state")], []) is not None

    def _status(self, row: Sequence[int]) -> Status:
        in_flight, concurrency, hold, opened, open_step = row
        kind = "hold" if hold > opened else "open" if open_step else ""
        reason = reason_for(kind, Limits(), concurrency, self._pace.failures) if kind else ""
        return Status(in_flight, concurrency, max(hold, opened) / 1000, reason, open_step > 0)

    def _on_slots(self, operation: str, slots: Mapping[int, Sequence[str]]) -> bool:
        counted = [value for tokens in slots.values() for value in (len(tokens), *tokens)]
        return self._call(operation, [_key(endpoint_id, "slots") for endpoint_id in slots], counted) is not None

    def _call(self, operation: str, keys: Sequence[str], values: Sequence[Any]) -> Any:
        """The script's answer, [] where it has none; None where the broker is away."""
        if self._away and not self._may_try():
            return None
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
            self._found()
        return [] if answer is None else answer

    def _may_try(self) -> bool:
        """Whether this thread is the one that tries an absent broker now."""
        with self._lock:
            now = time.monotonic()
            if now < self._try_at:
                return False
            self._try_at = now + self._pace.away_seconds
            return True

    def _lost(self, error: Exception) -> None:
        with self._lock:
            first, self._away = not self._away, True
            self.outages += first
            self._try_at = time.monotonic() + self._pace.away_seconds
        if first:
            logger.warning(
                "The broker does not answer the limiter; each process limits itself until it does: %s", error
            )

    def _found(self) -> None:
        with self._lock:
            self._away = False
        logger.warning("The broker answers the limiter again.")

    @cached_property
    def _client(self) -> Any:
        """RESP 2 is cheaper to read than RESP 3; a thread waits for a connection rather than opening its own."""
        pool = redis.BlockingConnectionPool.from_url(
            self._url,
            max_connections=self._pace.connections,
            timeout=2 * self._pace.socket_seconds,
            socket_connect_timeout=self._pace.socket_seconds,
            socket_timeout=self._pace.socket_seconds,
            retry=Retry(NoBackoff(), retries=0),
            protocol=2,
        )
        return redis.Redis(connection_pool=pool)


def _key(endpoint_id: int, part: str) -> str:
    return f"{PREFIX}:{{{endpoint_id}}}:{part}"


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _constants(pace: Pace) -> str:
    """Pace as the script's first lines: part of its text, so that no call carries them."""
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
