"""The dispatcher of a worker process: one thread finds due deliveries and messages, a few others send them.

Runs are played by other threads, so slow receivers delay no run, and long runs delay no delivery. A lost wake-up only
delays: the dispatcher also looks every few seconds.
"""

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from accounts import hooks
from accounts.outbox import notices_send
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection, wake
from workspace.webhooks.delivery.deliveries import Claim, claim_next, deliver, prune

logger = logging.getLogger(__name__)

AT_ONCE = 8
MOST_PER_ORGANIZATION = 3
"""At most this many threads send for one organization, so that its slow receivers cannot take them all."""

PRUNE_SECONDS = 3600.0

WAKE = "webhooks.tasks.wake_dispatcher"
"""Name of the Celery task that sets `woken` in a worker."""

woken = threading.Event()  # set when the dispatcher of this process should look for due work
is_here = threading.Event()  # set if this process has a dispatcher: then a wake-up needs no broker
os.register_at_fork(after_in_child=is_here.clear)


def wake_dispatcher() -> None:
    """Call this on commit. An unreachable broker is not an error."""
    if is_here.is_set():
        woken.set()
    else:
        wake(WAKE)


class Dispatcher:
    def __init__(self) -> None:
        self._changed = threading.Lock()
        self._sending: Counter[int] = Counter()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="dispatcher")
        self._pruned = -PRUNE_SECONDS
        self._posting: Future[None] | None = None

    def run(self) -> None:
        """Look for due work at every wake-up and every few seconds, until the process is asked to stop."""
        while not stopping.is_set():
            woken.wait(settings.SWEEP_SECONDS)
            woken.clear()
            try:
                self.look()
            except (DatabaseError, InterfaceError):
                logger.warning("Webhooks wait for the database.", exc_info=True)
            finally:
                let_go_of_connection()

    def look(self) -> None:
        """Hand due deliveries to free threads; send messages and delete old events beside them."""
        while not stopping.is_set() and self._sending.total() < AT_ONCE:
            with self._changed:
                busy = [organization for organization, count in self._sending.items() if count >= MOST_PER_ORGANIZATION]
            claim = claim_next(busy=busy)
            if claim is None:
                break
            with self._changed:
                self._sending[claim.organization_id] += 1
            self._pool.submit(self._deliver, claim)
        if self._posting is None or self._posting.done():
            self._posting = self._pool.submit(self._work, "The outbox", self._post)
        if time.monotonic() - self._pruned > PRUNE_SECONDS:
            self._pruned = time.monotonic()
            prune()

    def _post(self) -> None:
        """Send e-mails in a thread of their own, so that a slow mail server delays no delivery."""
        notices_send()
        for queue_messages in hooks.messages_queueing:
            queue_messages()

    def _deliver(self, claim: Claim) -> None:
        # If the result cannot be stored, the claim expires, and the delivery is sent again.
        self._work(f"Delivery {claim.delivery_id}", lambda: deliver(claim))
        with self._changed:
            self._sending[claim.organization_id] -= 1
        woken.set()  # a thread is free again

    def _work(self, what: str, work: Callable[[], object]) -> None:
        try:
            work()
        except (DatabaseError, InterfaceError):
            logger.warning("%s waits for the database.", what, exc_info=True)
        except Exception:
            logger.exception("%s failed.", what)
        finally:
            let_go_of_connection()


def start() -> None:
    """Start the dispatcher of this process, once."""
    if not is_here.is_set():
        is_here.set()
        woken.set()
        threading.Thread(target=Dispatcher().run, name="dispatcher", daemon=True).start()
