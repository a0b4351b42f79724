"""Wake-ups of the dispatcher. A lost wake-up only delays: the dispatcher also looks every few seconds."""

from __future__ import annotations

import threading

from infrastructure.wake_ups import wake

TASK = "webhooks.tasks.wake_dispatcher"

here = threading.Event()
"""Set when the dispatcher of this process should look for due work."""

dispatcher_is_here = threading.Event()
"""Set if this process has a dispatcher: then a wake-up needs no broker."""


def wake_dispatcher() -> None:
    """Call this on commit. An unreachable broker is not an error."""
    if dispatcher_is_here.is_set():
        here.set()
    else:
        wake(TASK)
