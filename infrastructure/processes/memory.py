"""Settings of the garbage collector and of malloc for long-running processes."""

import ctypes
import gc
from contextlib import suppress

COLLECT_AFTER = 5_000
"""Allocations between two collections of the youngest generation. A request lives on in a circle until the second one, which
comes after 20 of the first: with 20,000 allocations up to a thousand requests waited for it."""


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
ARENAS = 2
"""Heaps of the C library. Without a limit each thread has its own, and 20 threads kept 20 MB that nobody used."""

RETURNED_BYTES = 256 * 1024
"""Larger blocks are given back to the system when they are freed. By itself the C library keeps blocks of up to 32 MB once it
has freed one of that size, so that each large page or file leaves a hole."""


def settle_memory() -> None:
    """Call this when everything is imported, so that the collector skips those objects.

    Scanning them took a tenth of a worker's time, and 0.1 s of every page that reads many small rows.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    # Only the C library of GNU has this function.
    with suppress(AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_ARENA_MAX, ARENAS)
        mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES)
        mallopt(M_TRIM_THRESHOLD, RETURNED_BYTES)
