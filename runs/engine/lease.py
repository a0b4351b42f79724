"""Leases: at most one worker advances a run, and one that died is replaced when its lease runs out.

All times are the database's, so that workers' clocks do not matter.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from runs.engine.writing import write_transaction
from runs.models import Run, RunState
from runs.models.runs import ACTIVE, Wish

logger = logging.getLogger(__name__)

OWNER = f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


class LeaseLost(Exception):
    """Another worker holds the run now, or it was deleted: write nothing more."""


def due() -> Q:
    """Runs a worker may take now."""
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    awake = Q(wake_at=None) | Q(wake_at__lte=Now())
    return Q(state__in=ACTIVE) & free & awake


def take(run_id: int) -> int | None:
    """Take the lease by one conditional update; the fence number to write with, or None where there is nothing to do."""
    with write_transaction():
        taken = Run.objects.filter(due(), pk=run_id).update(
            state=RunState.RUNNING,
            reason="",
            wake_at=None,
            lease_owner=OWNER,
            lease_until=Now() + timedelta(seconds=settings.LEASE_SECONDS),
            fence=F("fence") + 1,
            started_at=Coalesce("started_at", Now()),
        )
        fence = Run.objects.values_list("fence", flat=True).get(pk=run_id) if taken else None
    if fence is not None:
        _heartbeat.add(run_id, fence)
    return fence


def update(run_id: int, fence: int, **values: Any) -> None:
    """Write to a run one holds. Raises LeaseLost."""
    if not Run.objects.filter(pk=run_id, fence=fence).update(**values):
        raise LeaseLost


def release(run_id: int, fence: int, state: RunState, *, reason: str = "", **values: Any) -> None:
    """Give the lease back with the state the run is left in; a wish to pause or cancel goes before. Raises LeaseLost."""
    with write_transaction():
        run = Run.objects.select_for_update().filter(pk=run_id, fence=fence).only("wish", "reason").first()
        if run is None:
            raise LeaseLost
        if state in ACTIVE and run.wish:
            state, reason = wished_state(run.wish), run.reason
        if state not in ACTIVE and state != RunState.PAUSED:
            values["ended_at"] = Now()
        update(run_id, fence, state=state, reason=reason, wish=Wish.NONE, lease_owner="", lease_until=None, **values)
    _heartbeat.remove(run_id, fence)


def wished_state(wish: str) -> RunState:
    return RunState.PAUSED if wish == Wish.PAUSE else RunState.CANCELLED


def forget(run_id: int, fence: int) -> None:
    """Stop renewing a lease, after it was lost or its worker failed."""
    _heartbeat.remove(run_id, fence)


def forget_all() -> None:
    """Stop renewing every lease of this process."""
    _heartbeat.clear()


class _Heartbeat:
    """One thread that renews the leases this process holds, so that a model call may take longer than a lease."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[tuple[int, int]] = set()
        self._thread: threading.Thread | None = None

    def add(self, run_id: int, fence: int) -> None:
        with self._lock:
            self._held.add((run_id, fence))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True)
                self._thread.start()

    def remove(self, run_id: int, fence: int) -> None:
        with self._lock:
            self._held.discard((run_id, fence))

    def clear(self) -> None:
        with self._lock:
            self._held.clear()

    def _beat(self) -> None:
        pause = threading.Event()
        while not pause.wait(settings.LEASE_SECONDS / 3):
            with self._lock:
                held = sorted(self._held)
            if not held:
                continue
            try:
                self._renew(held)
            except DatabaseError:
                logger.warning("Could not renew %d leases; trying again.", len(held), exc_info=True)
            finally:
                connection.close()

    def _renew(self, held: list[tuple[int, int]]) -> None:
        expires = Now() + timedelta(seconds=settings.LEASE_SECONDS)
        for start in range(0, len(held), 100):
            mine = Q()
            for run_id, fence in held[start : start + 100]:
                mine |= Q(pk=run_id, fence=fence)
            with write_transaction():
                Run.objects.filter(mine, lease_owner=OWNER).update(lease_until=expires)


_heartbeat = _Heartbeat()
