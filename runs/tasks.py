"""Celery tasks that play runs."""

from itertools import count
from threading import BoundedSemaphore

from celery import shared_task
from celery.signals import worker_shutting_down
from django.conf import settings

from infrastructure.processes import workers
from infrastructure.processes.workers import stopping
from infrastructure.transactions import MOST_WAITING, let_go_of_connection, wake
from runs import events
from runs.engine import lease
from runs.engine.advance import play_held
from runs.engine.batches import rounds

ADVANCE = "runs.tasks.advance_next"
CLOSE = "runs.tasks.close_batches"

SWEEPS_TO_A_SELDOM_ONE = 12
"""Number of sweeps from one seldom sweep to the next: one minute at the usual interval."""

_sweeps = count()
_computing = BoundedSemaphore(settings.BASELINES_AT_ONCE)


@shared_task(name=ADVANCE)
def advance_next() -> None:
    """Play one due run for a slice of time, then enqueue this task again while runs are due."""
    try:
        if advance_one():
            wake(ADVANCE)
    finally:
        let_go_of_connection()


def advance_one() -> bool:
    """Play one due run for a slice of time. Returns False if no run was due.

    Runs of models wait for the network, so hundreds play at once. Runs of baselines compute, so only a few do.
    """
    computing = _computing.acquire(blocking=False)
    try:
        if (taken := lease.take_next(baselines=computing)) is None:
            return False
        run_id, fence, is_baseline = taken
        if computing and not is_baseline:
            _computing.release()
            computing = False
        play_held(run_id, fence)
        return True
    finally:
        if computing:
            _computing.release()


@shared_task(name=CLOSE)
def close_batches() -> None:
    """Settle the batches of runs that are over."""
    try:
        while rounds.close_next():
            pass
    finally:
        let_go_of_connection()


@shared_task(name="runs.tasks.sweep")
def sweep() -> None:
    """Wake workers for due runs without a message: runs after a wait, runs of dead workers, runs with a lost message."""
    workers.leave_mark()
    if due := lease.startable()[:MOST_WAITING].count():
        wake(ADVANCE, due)
    if rounds.due_to_close().exists():
        wake(CLOSE)
    events.sweeping()
    if next(_sweeps) % SWEEPS_TO_A_SELDOM_ONE == 0:
        events.sweeping_seldom()


@worker_shutting_down.connect
def _stop(**kwargs: object) -> None:
    stopping.set()
