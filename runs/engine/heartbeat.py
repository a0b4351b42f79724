"""A thread that renews the leases, limiter slots and claims of this process."""

import logging
import threading
import time

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from infrastructure import limiter
from infrastructure.claims import claim_expiry
from infrastructure.transactions import lock_rows, write_transaction
from runs import events
from runs.engine import lease, reference
from runs.models import Run

logger = logging.getLogger(__name__)

RUNS_AT_ONCE = 100
"""Runs per statement. SQLite allows at most a thousand terms in an expression."""

_starting = threading.Lock()
_thread: threading.Thread | None = None


def start() -> None:
    """Start the thread, unless this process already has one. A forked process does not inherit its parent's thread."""
    global _thread
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_beat, name="heartbeat", daemon=True)
            _thread.start()


def renew_leases() -> None:
    """Renew the leases of this process, including expired ones that no other worker has taken."""
    held = sorted(lease.held.copy())
    for first in range(0, len(held), RUNS_AT_ONCE):
        leases = held[first : first + RUNS_AT_ONCE]
        with write_transaction():
            before = time.monotonic()
            # As safe as a filter by fence: the owner's name is unique to this process, which holds each run only once.
            mine = Run.objects.filter(pk__in=[run_id for run_id, _ in leases], lease_owner=lease.OWNER)
            lock_rows(mine).update(lease_until=claim_expiry())
        lease.warn_of_late(leases)
        for lease_key in leases:
            if term := lease.held.get(lease_key):
                term.since = before


def _beat() -> None:
    pause = threading.Event()
    while not pause.wait(settings.LEASE_SECONDS / 3):
        try:
            limiter.renew()
            if lease.held:
                renew_leases()
                reference.renew_claims()
            events.leases_renewing()
        except (DatabaseError, InterfaceError):
            lease.database_was_away()
            logger.warning("Could not renew the leases; trying again.", exc_info=True)
        except Exception:  # a bug must not end the thread, since every run of this process needs it
            logger.exception("Could not renew the leases, by a fault of ours; trying again.")
        finally:
            connection.close()
