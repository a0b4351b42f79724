"""How often and how many at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Hashable

from django.core.cache import cache


def counted(key: str, window: int) -> int:
    """How often this was asked in the present window of so many seconds, this time included.

    Counted in the site's cache. Where the broker is away each process counts for itself, so that limits hold loosely
    instead of not at all, and nothing fails.
    """
    key = f"{key}:{int(time.time() // window)}"
    cache.add(key, 0, timeout=2 * window)
    try:
        return cache.incr(key)
    except ValueError:  # the broker went away or came back between the two
        cache.set(key, 1, timeout=2 * window)
        return 1


class Slots:
    """So many at once for each holder, in this process."""

    def __init__(self, most: int):
        self.most = most
        self._held: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def take(self, holder: Hashable, *, wait_seconds: float = 0) -> Slot | None:
        """None where all of the holder's are taken and none is given back in time."""
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
    """Given back by `release`, or with the object: an answer that is never sent must not keep it."""

    def __init__(self, slots: Slots, holder: Hashable):
        self._slots: Slots | None = slots
        self._holder = holder

    def release(self) -> None:
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.give_back(self._holder)

    __del__ = release
