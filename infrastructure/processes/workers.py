"""Signs of workers: whether any worker is alive, and whether the worker of this process is stopping."""

import threading
from contextlib import suppress

import redis
from django.conf import settings

from infrastructure import broker

stopping = threading.Event()


MARK = "econevals:worker-was-here"
FADES_AFTER_SWEEPS = 3
PAGE_WAITS_SECONDS = 0.05


def mark_seconds() -> int:
    """Return the seconds for which a worker counts as alive after its last sweep, even if it was stopped."""
    return FADES_AFTER_SWEEPS * settings.SWEEP_SECONDS


def leave_mark() -> None:
    with suppress(redis.RedisError):
        broker.client().set(MARK, 1, ex=mark_seconds())


def worker_was_here() -> bool:
    """Whether a worker ran a sweep lately. False without a broker, because pages must not wait for it."""
    try:
        with broker.client(PAGE_WAITS_SECONDS, PAGE_WAITS_SECONDS) as client:
            return bool(client.exists(MARK))
    except redis.RedisError:
        return False
