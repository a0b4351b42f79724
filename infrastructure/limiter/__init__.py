"""Rate and concurrency limiter per provider key, shared by all workers through Redis or Valkey.

    slot = infrastructure.limiter.acquire(endpoint.pk, Limits(concurrency=16), tokens=2000, stop=wants_to_stop)  # raises Held
    slot.done(CallResult.OK, tokens=1834)

It probes how many concurrent calls a provider allows, like TCP: slow start, halving, additive growth. It enforces the
requests and tokens per minute that the owner entered. It holds a key for as long as a provider asks (Retry-After). A
circuit breaker stops calls to a failing endpoint until a single call succeeds. Only limiter.lua changes the shared
state. Without that state or the broker, each process falls back to careful limits. An agent with a limit of its own is
limited like a key.

`python -m benchmarks limits` measures each part with simulated providers; docs/figures.md has the figures. A fixed
concurrency with the same halving loses up to 92 % of the calls if it is low (16), and gets up to twenty times as many
refusals if it is high (512). If workers took no turns, a worker that begins later would get no place of a busy key.
"""

from collections.abc import Callable, Iterable
from functools import cache

from django.conf import settings

from infrastructure.limiter.limiter import Limiter
from infrastructure.limiter.vocabulary import CallResult, Held, Key, Limits, Pace, Slot, Status

__all__ = ["Held", "Limiter", "Limits", "CallResult", "Pace", "Slot", "Status"]


def acquire(key: Key, limits: Limits, tokens: int = 0, stop: Callable[[], bool] | None = None) -> Slot:
    """Acquire a slot for one call with this key; see Limiter.acquire. Raises Held."""
    return _limiter(settings.BROKER_URL).acquire(key, limits, tokens, stop)


def renew() -> None:
    """Renew the slots of this process. The heartbeat calls this."""
    _limiter(settings.BROKER_URL).renew()


def status(keys: Iterable[Key]) -> dict[Key, Status]:
    """Return the status of each key for the Agents page; {} while the broker is away."""
    return _limiter(settings.BROKER_URL).status(keys)


def reset(key: Key) -> None:
    """End the hold of a key and close its breaker."""
    _limiter(settings.BROKER_URL).reset(key)


def forget() -> None:
    """Forget the limiters of this process, for tests. The state in the broker stays."""
    _limiter.cache_clear()


@cache
def _limiter(url: str) -> Limiter:
    # Slots of a dead worker expire with its leases. Longer lives would block a key with few slots.
    return Limiter(url, Pace(slot_seconds=settings.LEASE_SECONDS))
