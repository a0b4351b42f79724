"""Leases: at most one worker advances a run, and one that died is replaced when its lease runs out.

All times are the database's, so that workers' clocks do not matter.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Case, F, Q, TextField, Value, When
from django.db.models.functions import Coalesce, Now

from infrastructure.transactions import write_transaction
from runs.events import emit_runs_stopped
from runs.models import Run, RunState
from runs.models.runs import ACTIVE, PauseCause, Wish

CANDIDATES = 4

CLOCK_SECONDS = 5
"""How far the clocks of a database and of what reads it may differ."""

BASELINES_ONLY = Q(agent__endpoint=None, rival__endpoint=None)

held: set[tuple[int, int]] = set()
"""(run, fence) of every lease of this process; runs.engine.heartbeat renews them."""

_outage_ended = -1e9
_clock = time.time() - time.monotonic()

OWNER = ""


def _new_process() -> None:
    global OWNER
    OWNER = f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
    held.clear()


_new_process()
os.register_at_fork(after_in_child=_new_process)


class LeaseLost(Exception):
    """Another worker holds the run now, or it was deleted: write nothing more."""


def due() -> Q:
    """Runs a worker may take now.

    A lease that ends later than any worker would set it, and a wait begun in the future, were written before the clock
    of a one-machine database was set back. For a while after the clock was changed, or the database was away, only free
    runs are due: their holders may be alive, with a paid reply to store, and could renew nothing meanwhile.
    """
    if _clock_was_changed():
        database_was_away()
    free = Q(lease_until=None)
    if time.monotonic() - _outage_ended > settings.LEASE_SECONDS:
        free |= Q(lease_until__lt=Now()) | Q(lease_until__gt=Now() + timedelta(seconds=3 * settings.LEASE_SECONDS))
    awake = Q(wake_at=None) | Q(wake_at__lte=Now()) | Q(waiting_since__gt=Now() + timedelta(seconds=CLOCK_SECONDS))
    return Q(state__in=ACTIVE) & free & awake


def _clock_was_changed() -> bool:
    """Whether this machine's clock was set since somebody asked last. On one machine it is the database's clock too."""
    global _clock
    before, _clock = _clock, time.time() - time.monotonic()
    return abs(_clock - before) > CLOCK_SECONDS


def database_was_away() -> None:
    global _outage_ended
    _outage_ended = time.monotonic()


def take(run_id: int) -> int | None:
    """Take the lease of one run; the fence number to write with, or None where there is nothing to do."""
    with write_transaction():
        fence = _take(run_id)
    return fence if fence is None else _hold(run_id, fence)


def take_next(*, baselines: bool = True) -> tuple[int, int] | None:
    """Take a due run: (run, fence), or None. Runs already started go first, so that they finish one after another.

    Without `baselines`, only runs in which a model plays.
    """
    candidates = Run.objects.filter(due()).order_by(F("started_at").asc(nulls_last=True), "id")
    if not baselines:
        candidates = candidates.exclude(BASELINES_ONLY)
    if not candidates.exists():
        return None
    with write_transaction():
        locks = connection.features.has_select_for_update_skip_locked
        found = candidates.select_for_update(skip_locked=True, of=("self",)) if locks else candidates
        for run_id in found.values_list("id", flat=True)[:CANDIDATES]:
            if (fence := _take(run_id)) is not None:
                break
        else:
            return None
    return run_id, _hold(run_id, fence)


def _hold(run_id: int, fence: int) -> int:
    """Only once the lease is known to be committed: one that nobody plays must run out and not be renewed for ever."""
    held.add((run_id, fence))
    return fence


def _take(run_id: int) -> int | None:
    # A run of this process may look due when the clock was set forward; taking it would send its call twice.
    if any(run == run_id for run, _ in held.copy()):
        return None
    taken = Run.objects.filter(due(), pk=run_id).update(
        state=RunState.RUNNING,
        reason=_unless_wished("reason"),
        pause_cause=_unless_wished("pause_cause"),
        wake_at=None,
        lease_owner=OWNER,
        lease_until=Now() + timedelta(seconds=settings.LEASE_SECONDS),
        fence=F("fence") + 1,
        started_at=Coalesce("started_at", Now()),
    )
    if not taken:
        return None
    fence: int = Run.objects.values_list("fence", flat=True).get(pk=run_id)
    return fence


def _unless_wished(column: str) -> Case:
    """Empty, but where somebody wished the run stopped it holds why."""
    return Case(When(wish=Wish.NONE, then=Value("")), default=F(column), output_field=TextField())


def others_wait() -> bool:
    """Whether some run is due that nobody plays."""
    return Run.objects.filter(due()).exists()


def update(run_id: int, fence: int, **values: Any) -> None:
    """Write to a run one holds. Raises LeaseLost."""
    if not Run.objects.filter(pk=run_id, fence=fence).update(**values):
        raise LeaseLost


def release(
    run_id: int, fence: int, state: RunState, *, reason: str = "", cause: PauseCause | str = "", **values: Any
) -> None:
    """Give the lease back with the state the run is left in; a wish to pause or cancel goes before. Raises LeaseLost."""
    with write_transaction():
        run = (
            Run.objects.select_for_update().filter(pk=run_id, fence=fence).only("wish", "reason", "pause_cause").first()
        )
        if run is None:
            raise LeaseLost
        if state in ACTIVE and run.wish:
            state, reason, cause = wished_state(run.wish), run.reason, run.pause_cause
        if state not in ACTIVE and state != RunState.PAUSED:
            values["ended_at"] = Now()
        if values.get("wake_at") is not None:
            values["waiting_since"] = Now()
        values |= {"state": state, "reason": reason, "pause_cause": cause if state == RunState.PAUSED else ""}
        update(run_id, fence, wish=Wish.NONE, lease_owner="", lease_until=None, **values)
        if state not in ACTIVE:
            emit_runs_stopped([run_id])
    forget(run_id, fence)


def wished_state(wish: str) -> RunState:
    return RunState.PAUSED if wish == Wish.PAUSE else RunState.CANCELLED


def forget(run_id: int, fence: int) -> None:
    """Stop renewing a lease, after it was lost or its worker failed."""
    held.discard((run_id, fence))
