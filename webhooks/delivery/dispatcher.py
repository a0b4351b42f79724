"""The dispatcher of a worker process: one thread that looks for what is due, and a few that send it.

They are none of the threads that play runs, so that slow receivers delay no run and long runs delay no message.
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
from webhooks.delivery.deliveries import Claim, claim_next, deliver
from webhooks.delivery.retention import prune

logger = logging.getLogger(__name__)

AT_ONCE = 8
AT_ONCE_OF_ONE = 3
"""Of one organization, so that its slow receivers leave places to the others."""

PRUNE_SECONDS = 3600.0


class Dispatcher:
    def __init__(self) -> None:
        self._changed = threading.Lock()
        self._sending: Counter[int] = Counter()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="dispatcher")
        self._pruned = -PRUNE_SECONDS
        self._posting: Future[None] | None = None

    def run(self) -> None:
        """Until the process is asked to stop."""
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
        """Begin to send what is due, as far as there is room; do the chores that are due."""
        while not stopping.is_set() and (claim := self._claim()) is not None:
            self._pool.submit(self._deliver, claim)
        for send_mail in hooks.mail_sending:
            send_mail()
        if self._posting is None or self._posting.done():
            self._posting = self._pool.submit(self._post)
        if time.monotonic() - self._pruned > PRUNE_SECONDS:
            self._pruned = time.monotonic()
            prune()

    def _post(self) -> None:
        """Messages of accounts, beside the rest: a mail server that is away delays nothing else."""
        try:
            notices_send()
        except (DatabaseError, InterfaceError):
            logger.warning("Messages wait for the database.", exc_info=True)
        except Exception:
            logger.exception("A message of an account failed.")
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
            # The right to send it runs out, and it is sent again.
            logger.warning("What came of delivery %d could not be stored.", claim.delivery_id, exc_info=True)
        except Exception:
            logger.exception("Delivery %d failed.", claim.delivery_id)
        finally:
            let_go_of_connection()
            with self._changed:
                self._sending[claim.organization_id] -= 1
            wake_ups.here.set()  # there is room again


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
