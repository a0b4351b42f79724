"""How long a worker plays a run before it looks whether another one should have its thread."""

from __future__ import annotations

import random
import time

from django.conf import settings

from runs.engine import lease


class Deadline:
    """Passes after a slice where another run waits, else later: taking a run up again means replaying its periods.

    Slices differ in length, so that runs begun together are not all given back together.
    """

    def __init__(self) -> None:
        self._next = self._after_a_slice()

    def passed(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._next = self._after_a_slice()
        return lease.others_wait()

    def _after_a_slice(self) -> float:
        return time.monotonic() + settings.SLICE_SECONDS * random.uniform(0.7, 1.3)
