"""The dispatcher of a worker process: one thread finds due deliveries, and a few others send them.

Other threads play runs, so slow receivers delay no run, and long runs delay no delivery. A lost wake-up only causes a
delay, since the dispatcher also looks for due deliveries every few seconds.
"""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from infrastructure.processes.lookout import Lookout, work_apart
from infrastructure.processes.workers import stopping
from infrastructure.transactions import wake
from workspace.webhooks.delivery.deliveries import Claim, claim_next, deliver, prune

AT_ONCE = 8
MOST_PER_ORGANIZATION = 3
"""The most threads that send for one organization, so that its slow receivers cannot occupy all of them."""

PRUNE_SECONDS = 3600.0

WAKE = "webhooks.tasks.wake_dispatcher"
"""Name of the Celery task that wakes the dispatcher of a worker."""


class Dispatcher:
    def __init__(self) -> None:
        self.lookout = Lookout("Webhooks", self.look)
        self._changed = threading.Lock()
        self._sending: Counter[int] = Counter()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="dispatcher")
        self._pruned = -PRUNE_SECONDS

    def look(self) -> None:
        """Give due deliveries to free threads, and delete old events."""
        while not stopping.is_set() and self._sending.total() < AT_ONCE:
            with self._changed:
                busy = [organization for organization, count in self._sending.items() if count >= MOST_PER_ORGANIZATION]
            claim = claim_next(busy=busy)
            if claim is None:
                break
            with self._changed:
                self._sending[claim.organization_id] += 1
            self._pool.submit(self._deliver, claim)
        if time.monotonic() - self._pruned > PRUNE_SECONDS:
            self._pruned = time.monotonic()
            prune()

    def _deliver(self, claim: Claim) -> None:
        # If the result cannot be stored, the claim expires, and the delivery is sent again.
        work_apart(f"Delivery {claim.delivery_id}", lambda: deliver(claim))
        with self._changed:
            self._sending[claim.organization_id] -= 1
        self.lookout.wake()  # a thread is free again


dispatcher = Dispatcher()


def wake_dispatcher() -> None:
    """Wake a dispatcher. Call this on commit. An unreachable broker is not an error."""
    if not dispatcher.lookout.wake():
        wake(WAKE)
