"""How Python's collector treats a process that runs for days."""

from __future__ import annotations

import gc

COLLECT_AFTER = 20_000
"""New objects between two looks at the youngest ones."""


def settle_memory() -> None:
    """To be called when everything is imported: it stays, so the collector need not look at it again each time.

    A tenth of a worker's time went there, and a tenth of a second of every page that reads many small things.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
