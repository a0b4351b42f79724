"""Wake-ups of the dispatcher. Hints only: without one it finds what is due in its next round."""

from __future__ import annotations

import threading

from infrastructure.wake_ups import wake

TASK = "webhooks.tasks.wake_dispatcher"

here = threading.Event()
"""Set where a dispatcher of this process should look."""

dispatcher_is_here = threading.Event()
"""Whether this process has a dispatcher: then no message has to travel."""


def wake_dispatcher() -> None:
    """To be called on commit. Where the broker is away nothing is lost."""
    if dispatcher_is_here.is_set():
        here.set()
    else:
        wake(TASK)
