"""How long a worker plays a run before it looks whether another one should have its thread."""

from __future__ import annotations

import time

from django.conf import settings

from runs.engine import lease

LONGEST_SECONDS = 45.0
"""Brokers deliver a message again that was not acknowledged for a minute. That is harmless, but not for nothing."""


class Deadline:
    """Passes after a slice, later where no other run waits: taking a run up again means replaying its periods."""

    def __init__(self) -> None:
        self._last = time.monotonic() + max(LONGEST_SECONDS, settings.SLICE_SECONDS)
        self._next = time.monotonic() + settings.SLICE_SECONDS

    def passed(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        if now >= self._last or lease.others_wait():
            return True
        self._next = now + settings.SLICE_SECONDS
        return False
