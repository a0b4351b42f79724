"""Counters per time window, and slots for concurrent work."""

import threading
import time
import weakref
from collections import Counter
from collections.abc import Hashable

from django.core.cache import cache


def counted(key: str, window: int) -> int:
    """Count this call and return the count of the current window of so many seconds.

    The count is in the site's cache. While the broker is away each process counts by itself, so that limits are looser
    but nothing fails.
    """
    key = f"{key}:{int(time.time() // window)}"
    cache.add(key, 0, timeout=2 * window)
    try:
        return cache.incr(key)
    except ValueError:  # the broker went away or came back between the two
        cache.set(key, 1, timeout=2 * window)
        return 1


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
