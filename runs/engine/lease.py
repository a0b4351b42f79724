"""Leases: at most one worker plays a run. The lease of a dead worker expires, and another worker takes the run.

All times are database times, so the clocks of workers do not matter.
"""

import logging
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import BooleanField, Case, Count, ExpressionWrapper, F, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Coalesce, Now

from infrastructure.claims import claim_expiry, unclaimed
from infrastructure.transactions import lock_name, write_transaction
from runs.engine.exceptions import LeaseLost
from runs.events import runs_stopped
from runs.metric_series import result_store
from runs.models import PauseCause, Run, RunState
from runs.models.runs import ACTIVE, TRANSITIONS, StopRequest

CANDIDATES = 4

CLOCK_SECONDS = 5
"""Tolerated difference between the clock of the database and that of a worker, in seconds."""

BASELINES_ONLY = Q(agent__endpoint=None, rival__endpoint=None)

BY_AGE = (F("started_at").asc(nulls_last=True), "id")

LATE = (
    "Leases expired %.1f s ago without being renewed, since this machine or its database is too busy; other workers may have "
    "taken the runs over, and calls may be paid for twice. Leases, as run/fence: %s"
)

logger = logging.getLogger(__name__)

Lease = tuple[int, int]
"""Id of a run, and the fence number of its lease."""


@dataclass
class Term:
    """The time of a lease: `since` is time.monotonic() just before it was taken or last renewed.

    The heartbeat changes this object, not the dict `held`. So it cannot restore a lease that was forgotten meanwhile.
    """

    since: float


held: dict[Lease, Term] = {}
"""The leases that this process holds. The heartbeat renews them."""

RELEASED = {"stop_request": StopRequest.NONE, "lease_owner": "", "lease_until": None}

_outage_ended = -1e9
_clock = time.time() - time.monotonic()

OWNER = ""


def _new_process() -> None:
    global OWNER
    OWNER = f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
    held.clear()


_new_process()
os.register_at_fork(after_in_child=_new_process)


def due() -> Q:
    """The filter for runs that a worker may take now: active runs without a valid lease whose wait is over.

    If the clock of a one-machine database was set back, stored times lie too far in the future. Such leases and waits
    count as over. After a change of the clock or a database outage, leases may have expired although their
    workers live and have paid replies to store. Expired leases therefore stay valid for another LEASE_SECONDS.
    """
    global _clock
    before, _clock = _clock, time.time() - time.monotonic()
    if abs(_clock - before) > CLOCK_SECONDS:  # on one machine this is also the database's clock
        database_was_away()
    is_quiet = time.monotonic() - _outage_ended > settings.LEASE_SECONDS
    free = unclaimed("lease_until") if is_quiet else Q(lease_until=None)
    awake = Q(wake_at=None) | Q(wake_at__lte=Now()) | Q(waiting_since__gt=Now() + timedelta(seconds=CLOCK_SECONDS))
    return Q(state__in=TRANSITIONS["take"].before) & free & awake


def database_was_away() -> None:
    global _outage_ended
    _outage_ended = time.monotonic()


def take(run_id: int) -> int | None:
    """Take the lease of a run. Returns its fence number, or None if the run is not due."""
    with write_transaction():
        term = Term(time.monotonic())
        fence = _take(run_id)
    if fence is not None:
        held[run_id, fence] = term
    return fence


def startable() -> QuerySet[Run]:
    """Due runs, except those of experiments that already play their maximum number of runs at once."""
    held_leases = Run.objects.filter(
        state=RunState.RUNNING, lease_until__gt=Now(), experiment__runs_at_once__isnull=False
    )
    full = (
        held_leases.values("experiment").annotate(played=Count("pk")).filter(played__gte=F("experiment__runs_at_once"))
    )
    return Run.objects.filter(due()).exclude(experiment__in=full.values("experiment"))


def take_next(*, baselines: bool = True) -> tuple[int, int, bool] | None:
    """Take a due run. Returns (run id, fence, whether no model plays in it), or None if no run is due.

    The organization with the oldest due run comes first. Within it, priority decides, then started runs come first.

    baselines: whether to include runs without a model
    """
    candidates = startable() if baselines else startable().exclude(BASELINES_ONLY)
    in_turn = candidates.order_by(*BY_AGE).values_list("organization_id", flat=True).first()
    if in_turn is None:
        return None
    candidates = candidates.order_by(
        Case(When(organization_id=in_turn, then=0), default=1), "-experiment__priority", *BY_AGE
    )
    with write_transaction():
        term = Term(time.monotonic())
        if connection.features.has_select_for_update_skip_locked:
            candidates = candidates.select_for_update(skip_locked=True, of=("self",), no_key=True)
        # Read the kind in this query: an error in a later query would leave a lease that is renewed but not played.
        kind = ExpressionWrapper(BASELINES_ONLY, BooleanField())
        for run_id, limit, is_baseline in candidates.values_list("id", "experiment__runs_at_once", kind)[:CANDIDATES]:
            if limit is not None:
                # One lock for all experiments, because with a lock for each, two workers could deadlock.
                lock_name("runs at once")
                # Another worker may have taken the experiment's last free place since the candidates were read.
                if not startable().filter(pk=run_id).exists():
                    continue
            if (fence := _take(run_id)) is not None:
                taken = run_id, fence, is_baseline
                break
        else:
            return None
    # Register it only after the commit, else the heartbeat might renew a lease that nobody uses.
    held[taken[:2]] = term
    return taken


def _take(run_id: int) -> int | None:
    # After the clock was set forward, a run of this process may look due. Taking it again would send its call twice.
    if any(run == run_id for run, _ in held.copy()):
        return None
    if not Run.objects.filter(due(), pk=run_id).update(
        state=TRANSITIONS["take"].after,
        reason=_unless_stop_requested("reason"),
        pause_cause=_unless_stop_requested("pause_cause"),
        wake_at=None,
        lease_owner=OWNER,
        lease_until=claim_expiry(),
        fence=F("fence") + 1,
        started_at=Coalesce("started_at", Now()),
    ):
        return None
    return Run.objects.values_list("fence", flat=True).get(pk=run_id)


def _unless_stop_requested(column: str) -> Case:
    """An SQL expression that empties a column, except if it holds the reason or cause of a stop request."""
    return Case(When(stop_request=StopRequest.NONE, then=Value("")), default=F(column), output_field=TextField())


def finish(run_id: int, fence: int, result: dict[str, Any]) -> None:
    """Finish a run and store its score, in the caller's transaction. Raises LeaseLost."""
    before, after = TRANSITIONS["finish"]
    # Deleted runs are included, because the end of a season finishes them too. A worker of a deleted run has an old
    # fence.
    runs = Run.with_deleted.filter(fence=fence, state__in=before)
    if not result_store(runs=runs, run_id=run_id, result=result, state=after, ended_at=Now(), **RELEASED):
        raise LeaseLost
    runs_stopped([run_id])


def release(
    run_id: int,
    fence: int,
    state: RunState,
    *,
    reason: str = "",
    cause: PauseCause | str = "",
    wake_at: Any = None,
    is_void: Callable[[], bool] = lambda: False,
    columns: Callable[[Run], dict[str, Any]] = lambda run: {},
) -> None:
    """Release the lease and set the state. A stop request overrides the states QUEUED and WAITING. Raises LeaseLost.

    is_void: tells whether the cause of the state no longer holds; if so, the run is queued instead
    columns: returns further columns to store with the state
    """
    if state == RunState.RUNNING:
        raise ValueError("A run cannot be released as running.")
    with write_transaction():
        rows = Run.objects.select_for_update(no_key=True).filter(pk=run_id, fence=fence, state=RunState.RUNNING)
        run = rows.only("stop_request", "reason", "pause_cause").first()
        if run is None:
            raise LeaseLost
        if is_void():
            state, reason, cause = RunState.QUEUED, "", ""
        if state in ACTIVE and run.stop_request:
            state, reason, cause = TRANSITIONS[run.stop_request].after, run.reason, run.pause_cause
        values = RELEASED | {"state": state, "reason": reason, "wake_at": wake_at} | columns(run)
        values["pause_cause"] = cause if state == RunState.PAUSED else ""
        if state not in (*ACTIVE, RunState.PAUSED):
            values["ended_at"] = Now()
        if wake_at is not None:
            values["waiting_since"] = Now()
        if not rows.update(**values):
            raise LeaseLost
        if state not in ACTIVE:
            runs_stopped([run_id])
    forget(run_id, fence)


def forget(run_id: int, fence: int) -> None:
    """Stop renewing a lease because it was released or lost, or because its worker failed."""
    held.pop((run_id, fence), None)


def warn_of_late(leases: Iterable[Lease]) -> None:
    """Log a warning about those of these leases that expired before they were renewed."""
    oldest = time.monotonic() - settings.LEASE_SECONDS
    late = {key: oldest - term.since for key in leases if (term := held.get(key)) and term.since < oldest}
    if late:
        logger.warning(LATE, max(late.values()), " ".join(f"{run}/{fence}" for run, fence in late))
