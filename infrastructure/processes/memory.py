"""Settings of the garbage collector and of malloc for long-running processes."""

import ctypes
import gc
from contextlib import suppress

COLLECT_AFTER = 5_000
"""Allocations between two collections of the youngest generation. A request is a reference cycle. It lives until the second
generation is collected, after 20 collections of the first. With 20,000 allocations up to a thousand requests waited."""


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
ARENAS = 2
"""Maximum number of heaps of the C library. Without a limit each thread has one, and 20 threads kept 20 MB unused."""

RETURNED_BYTES = 256 * 1024
"""Blocks larger than this return to the system when they are freed. By default the C library raises this threshold, up to
32 MB, to the size of each block that it frees, so that each large page or file leaves a hole."""


def settle_memory() -> None:
    """Tune the garbage collector and malloc. Call this after all imports, so that the collector skips their objects.

    Scanning them took a tenth of a worker's time, and 0.1 s of every page that reads many small rows.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    # Only the GNU C library has this function.
    with suppress(AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_ARENA_MAX, ARENAS)
        mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES)
        mallopt(M_TRIM_THRESHOLD, RETURNED_BYTES)
