"""Whether a worker is there: each sweep, which a worker does every few seconds, leaves a mark at the broker that fades."""

from __future__ import annotations

from contextlib import suppress

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from infrastructure.broker import broker

MARK = "econevals:worker-was-here"
FADES_AFTER_SWEEPS = 3
PAGE_WAITS_SECONDS = 0.05


def leave_mark() -> None:
    # Where nobody can be told, runs and imports go on all the same.
    with suppress(redis.RedisError):
        broker().set(MARK, 1, ex=FADES_AFTER_SWEEPS * settings.SWEEP_SECONDS)


def worker_was_here() -> bool:
    """For pages: no question to the workers, and no waiting for a broker that is away, behind which nobody works either."""
    asked = redis.Redis.from_url(
        settings.BROKER_URL,
        socket_connect_timeout=PAGE_WAITS_SECONDS,
        socket_timeout=PAGE_WAITS_SECONDS,
        retry=Retry(NoBackoff(), retries=0),
    )
    try:
        return bool(asked.exists(MARK))
    except redis.RedisError:
        return False
    finally:
        asked.close()
