"""Counters per time window, and limits of concurrent work."""

import threading
import time
import weakref
from collections import Counter
from collections.abc import Hashable

from django.core.cache import cache

MINUTE = 60
COMPUTING_SECONDS = 30
"""Limit of processor seconds per minute for the requests of one person, service token or seat: half of a core."""

UNCOUNTED_SECONDS = 0.02
"""Requests that take fewer processor seconds are not counted, which saves two calls of the cache."""


def counted(key: str, window: int, amount: int = 1) -> int:
    """Add `amount` to a counter, and return its value in the current window of `window` seconds.

    The counter is in the site's cache. While the broker is away each process counts by itself, so limits are looser but
    nothing fails.
    """
    key = f"{key}:{int(time.time() // window)}"
    cache.add(key, 0, timeout=2 * window)
    try:
        return cache.incr(key, amount)
    except ValueError:  # the broker went away or came back between the two calls
        cache.set(key, amount, timeout=2 * window)
        return amount


def computing_counted(payer: str, seconds: float) -> None:
    """Add the processor seconds of a request to the count of its payer."""
    if seconds >= UNCOUNTED_SECONDS:
        counted(f"computing:{payer}", MINUTE, round(1000 * seconds))


def computing_wait(payer: str) -> int:
    """Return the seconds until the payer's next request may be computed; 0 if it may be now."""
    now = int(time.time())
    spent = cache.get(f"computing:{payer}:{now // MINUTE}", 0)
    return MINUTE - now % MINUTE if spent > 1000 * COMPUTING_SECONDS else 0


class Slots:
    """Gives each holder at most `most` slots at the same time, in this process."""

    def __init__(self, most: int):
        self.most = most
        self._held: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def take(self, holder: Hashable, *, wait_seconds: float = 0) -> "Slot | None":
        """Take a slot. Returns None if all slots of the holder are taken and none is released in `wait_seconds`."""
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
    """A taken slot. `release()` gives it back, and so does deletion of the object: a response may never be sent."""

    def __init__(self, slots: Slots, holder: Hashable):
        # A finalizer runs once: when it is called, or when the object is collected.
        self.release = weakref.finalize(self, slots.give_back, holder)
