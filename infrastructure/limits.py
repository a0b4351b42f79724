"""Counters per time window, and slots for concurrent work."""

import threading
import time
import weakref
from collections import Counter
from collections.abc import Hashable

from django.core.cache import cache

MINUTE = 60
COMPUTING_SECONDS = 30
"""Processor seconds that the requests of one person, service token or seat may take a minute: half of a core."""

UNCOUNTED_SECONDS = 0.02
"""A request that takes less is not counted, which saves two calls of the cache."""


def counted(key: str, window: int, amount: int = 1) -> int:
    """Count this call, as so many, and return the count of the current window of so many seconds.

    The count is in the site's cache. While the broker is away each process counts by itself, so that limits are looser
    but nothing fails.
    """
    key = f"{key}:{int(time.time() // window)}"
    cache.add(key, 0, timeout=2 * window)
    try:
        return cache.incr(key, amount)
    except ValueError:  # the broker went away or came back between the two
        cache.set(key, amount, timeout=2 * window)
        return amount


def computing_counted(payer: str, seconds: float) -> None:
    """Count the processor seconds of a request."""
    if seconds >= UNCOUNTED_SECONDS:
        counted(f"computing:{payer}", MINUTE, round(1000 * seconds))


def computing_wait(payer: str) -> int:
    """Seconds until a request may compute again; 0 if it may now."""
    now = int(time.time())
    spent = cache.get(f"computing:{payer}:{now // MINUTE}", 0)
    return MINUTE - now % MINUTE if spent > 1000 * COMPUTING_SECONDS else 0


class Slots:
    """At most `most` concurrent slots for each holder in this process."""

    def __init__(self, most: int):
        self.most = most
        self._held: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def take(self, holder: Hashable, *, wait_seconds: float = 0) -> "Slot | None":
        """Returns None if all slots of the holder are taken and none is released in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._held[holder] < self.most, wait_seconds):
                return None
            self._held[holder] += 1
        return Slot(self, holder)

    def give_back(self, holder: Hashable) -> None:
        with self._changed:
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]
            self._changed.notify_all()


class Slot:
    """A slot. It is released with the object too, because a response that is never sent must not keep it."""

    def __init__(self, slots: Slots, holder: Hashable):
        # A finalizer runs once, called or not.
        self.release = weakref.finalize(self, slots.give_back, holder)
