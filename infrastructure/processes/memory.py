"""Settings of the garbage collector and of malloc for long-running processes."""

import ctypes
import gc
from contextlib import suppress

COLLECT_AFTER = 20_000
"""Allocations between two collections of the youngest generation."""


M_ARENA_MAX = -8
ARENAS = 2
"""Heaps of the C library. Without a limit each thread has its own, and 20 threads kept 20 MB that nobody used."""


def settle_memory() -> None:
    """Call this when everything is imported, so that the collector skips those objects.

    Scanning them took a tenth of a worker's time, and 0.1 s of every page that reads many small rows.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    # Only the C library of GNU has this function.
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
