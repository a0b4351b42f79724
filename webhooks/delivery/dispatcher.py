"""The dispatcher of a worker process: one thread finds due deliveries and messages, a few others send them.

Runs are played by other threads, so slow receivers delay no run, and long runs delay no delivery.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from accounts import hooks
from accounts.outbox import notices_send
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from webhooks.delivery import wake_ups
from webhooks.delivery.deliveries import Claim, claim_next, deliver, prune

logger = logging.getLogger(__name__)

AT_ONCE = 8
AT_ONCE_OF_ONE = 3
"""At most this many threads send for one organization, so that its slow receivers cannot take them all."""

PRUNE_SECONDS = 3600.0


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
            wake_ups.here.wait(settings.SWEEP_SECONDS)
            wake_ups.here.clear()
            try:
                self.look()
            except (DatabaseError, InterfaceError):
                logger.warning("Webhooks wait for the database.", exc_info=True)
            finally:
                connection.close()

    def look(self) -> None:
        """Hand due deliveries to free threads; send messages and delete old events beside them."""
        while not stopping.is_set() and (claim := self._claim()) is not None:
            self._pool.submit(self._deliver, claim)
        if self._posting is None or self._posting.done():
            self._posting = self._pool.submit(self._post)
        if time.monotonic() - self._pruned > PRUNE_SECONDS:
            self._pruned = time.monotonic()
            prune()

    def _post(self) -> None:
        """Send e-mails in a thread of their own, so that a slow mail server delays no delivery."""
        try:
            notices_send()
            for queue_messages in hooks.messages_queueing:
                queue_messages()
        except (DatabaseError, InterfaceError):
            logger.warning("Messages wait for the database.", exc_info=True)
        except Exception:
            logger.exception("The messages of the outbox failed.")
        finally:
            let_go_of_connection()

    def _claim(self) -> Claim | None:
        with self._changed:
            if self._sending.total() >= AT_ONCE:
                return None
            busy = [organization for organization, count in self._sending.items() if count >= AT_ONCE_OF_ONE]
        claim = claim_next(busy=busy)
        if claim is not None:
            with self._changed:
                self._sending[claim.organization_id] += 1
        return claim

    def _deliver(self, claim: Claim) -> None:
        try:
            deliver(claim)
        except (DatabaseError, InterfaceError):
            # The claim expires, and the delivery is sent again.
            logger.warning("The result of delivery %d could not be stored.", claim.delivery_id, exc_info=True)
        except Exception:
            logger.exception("Delivery %d failed.", claim.delivery_id)
        finally:
            let_go_of_connection()
            with self._changed:
                self._sending[claim.organization_id] -= 1
            wake_ups.here.set()  # a thread is free again


def start() -> None:
    """Start the dispatcher of this process, once."""
    if wake_ups.dispatcher_is_here.is_set():
        return
    wake_ups.dispatcher_is_here.set()
    wake_ups.here.set()
    threading.Thread(target=Dispatcher().run, name="dispatcher", daemon=True).start()


def _forget() -> None:
    wake_ups.dispatcher_is_here.clear()


os.register_at_fork(after_in_child=_forget)
