"""The cache backend for rate limits, such as those of log-in attempts: Redis, with a fallback in memory."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger("econevals.cache")

AWAY_SECONDS = 5.0
"""Seconds until a broker that did not answer is tried again, so that not every request waits for it."""


class JSONSerializer:
    """Serializes values as JSON. With pickle, an attacker with access to the broker could execute code."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


class PatientCache(RedisCache):
    """Cache in Redis, or in the memory of this process while Redis is away. So people can log in, and limits hold."""

    away_until = 0.0

    def __init__(self, server: str, params: dict[str, Any]):
        super().__init__(server, params)
        self._here = LocMemCache("while-the-broker-is-away", {})


def _patient(name: str) -> Callable[..., Any]:
    def method(self: PatientCache, *args: Any, **options: Any) -> Any:
        cls = type(self)
        if time.monotonic() >= cls.away_until:
            try:
                return getattr(RedisCache, name)(self, *args, **options)
            except RedisError as error:
                logger.warning("The broker is away (%s); attempts are counted in each process.", type(error).__name__)
                cls.away_until = time.monotonic() + AWAY_SECONDS
        return getattr(self._here, name)(*args, **options)

    method.__name__ = name
    return method


METHODS = "add get set touch delete get_many set_many delete_many has_key incr clear"
for _name in METHODS.split():
    setattr(PatientCache, _name, _patient(_name))
