"""A thread that renews what this process holds: leases of runs, places at the limiter, claims of packages above."""

from __future__ import annotations

import logging
import os
import threading
import time
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now

import limiter
from infrastructure.transactions import write_transaction
from runs import events
from runs.engine import lease, reference
from runs.models import Instance, Run

logger = logging.getLogger(__name__)

RUNS_AT_ONCE = 100
"""Runs renewed by one statement; SQLite takes at most a thousand terms."""

_starting = threading.Lock()
_thread: threading.Thread | None = None


def start() -> None:
    """Start the thread where this process has none yet."""
    global _thread
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_beat, name="heartbeat", daemon=True)
            _thread.start()


def renew_leases() -> list[tuple[int, int]]:
    """Those held, as (run, fence). Some that ran out are renewed too, unless somebody took the run.

    The owner's name stands for the fence: no other process has it, and this one holds a run under one fence at a time.
    """
    held = sorted(lease.held.copy())
    expires = Now() + timedelta(seconds=settings.LEASE_SECONDS)
    for first in range(0, len(held), RUNS_AT_ONCE):
        mine = [run_id for run_id, _ in held[first : first + RUNS_AT_ONCE]]
        with write_transaction():
            Run.objects.filter(pk__in=mine, lease_owner=lease.OWNER).update(lease_until=expires)
    return held


def renew_claims() -> None:
    if reference.solving:
        with write_transaction():
            Instance.objects.filter(pk__in=reference.solving.copy(), reference=None).update(
                solving_until=reference.claim()
            )


def _beat() -> None:
    pause, renewed_at = threading.Event(), time.monotonic()
    while not pause.wait(settings.LEASE_SECONDS / 3):
        try:
            limiter.renew()
            if lease.held:
                held = renew_leases()
                _warn_if_late(held, time.monotonic() - renewed_at - settings.LEASE_SECONDS)
                renew_claims()
            renewed_at = time.monotonic()
            for renew in events.leases_renewing:
                renew()
        except (DatabaseError, InterfaceError):
            lease.database_was_away()
            logger.warning("Could not renew the leases; trying again.", exc_info=True)
        except Exception:  # a fault of ours here must not end the thread, and with it every run of this process
            logger.exception("Could not renew the leases, by a fault of ours; trying again.")
        finally:
            connection.close()


def _warn_if_late(held: list[tuple[int, int]], seconds: float) -> None:
    """Tell whoever runs the site why calls were paid for twice though nothing died."""
    if held and seconds > 0:
        leases = " ".join(f"{run}/{fence}" for run, fence in held)
        logger.warning(
            "Leases were renewed %.1f s too late, since this machine or its database is too busy; other workers may have "
            "taken the runs over. Leases, as run/fence: %s",
            seconds,
            leases,
        )


def _forget_thread() -> None:
    global _thread
    _thread = None


os.register_at_fork(after_in_child=_forget_thread)
