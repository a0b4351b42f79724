"""One limiter per provider key, shared by all workers through the broker; used before every model call.

    slot = limiter.acquire(endpoint.pk, Limits(concurrency=16), tokens=2000, stop=wants_to_stop)  # raises Held
    slot.done(Outcome.OK, tokens=1834)

What it does: finds the concurrency a provider stands (as TCP does: slow start, halving, additive growth), keeps to the
requests and tokens a minute its owner wrote down, holds the whole key as long as a provider asks, and stops calling an
endpoint that fails again and again until a single call succeeds. All of it is state in Redis or Valkey that only
limiter.lua changes. Losing the state, or the broker, only makes it careful.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from django.conf import settings

from limiter.limiter import Limiter
from limiter.slot import Slot
from limiter.vocabulary import Held, Limits, Outcome, Pace, Status

__all__ = [
    "Held",
    "Limiter",
    "Limits",
    "Outcome",
    "Pace",
    "Slot",
    "Status",
    "acquire",
    "forget",
    "renew",
    "reset",
    "status",
]


def acquire(endpoint_id: int, limits: Limits, tokens: int = 0, stop: Callable[[], bool] | None = None) -> Slot:
    """A slot for one call with this key; see Limiter.acquire. Raises Held."""
    return _limiter(settings.BROKER_URL).acquire(endpoint_id, limits, tokens, stop)


def renew() -> None:
    """Keep this process's slots; the heartbeat calls it."""
    _limiter(settings.BROKER_URL).renew()


def status(endpoint_ids: Iterable[int]) -> dict[int, Status]:
    """How keys stand, for the Agents page; {} where the broker is away."""
    return _limiter(settings.BROKER_URL).status(endpoint_ids)


def reset(endpoint_id: int) -> None:
    """End the hold of a key and close its breaker."""
    _limiter(settings.BROKER_URL).reset(endpoint_id)


def forget() -> None:
    """Begin anew in this process, as tests do; what the broker holds stays."""
    _limiter.cache_clear()


@cache
def _limiter(url: str) -> Limiter:
    # The places of a worker that died come free with its runs; kept longer they would stop a key with few places.
    return Limiter(url, Pace(slot_seconds=settings.LEASE_SECONDS))
