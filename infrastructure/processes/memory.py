"""Garbage collector settings for long-running processes."""

import gc

COLLECT_AFTER = 20_000
"""Allocations between two collections of the youngest generation."""


def settle_memory() -> None:
    """Call this when everything is imported, so that the collector skips those objects.

    Scanning them took a tenth of a worker's time, and 0.1 s of every page that reads many small rows.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
