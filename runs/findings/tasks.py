"""The Celery task that computes findings, and its triggers: ended runs and the sweep."""

from collections.abc import Sequence
from functools import partial
from threading import BoundedSemaphore

from celery import shared_task
from django.db import transaction

from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection, wake
from runs.findings.services import findings_compute, run_claim, runs_due

COMPUTE = "findings.tasks.compute_next"
AT_ONCE = 10
"""Most runs per message. Further runs get another message, so that runs to be played do not wait long for a worker."""

_computing = BoundedSemaphore(1)


@shared_task(name=COMPUTE)
def compute_next() -> None:
    """Compute the findings of some due runs, then enqueue this task again while runs are due."""
    if not _computing.acquire(blocking=False):
        return  # another thread of this process is computing; it takes the due runs, else the next sweep finds them
    try:
        if compute_some() == AT_ONCE:
            wake(COMPUTE)
    finally:
        _computing.release()
        let_go_of_connection()


def compute_some() -> int:
    """Compute the findings of at most AT_ONCE due runs. Returns how many."""
    for done in range(AT_ONCE):
        run = None if stopping.is_set() else run_claim()
        if run is None:
            return done
        findings_compute(run=run)
    return AT_ONCE


def notify(run_ids: Sequence[int]) -> None:
    """Wake a worker after the commit. Listener of `events.runs_stopped`. It makes no query."""
    transaction.on_commit(partial(wake, COMPUTE), robust=True)


def sweep() -> None:
    """Wake a worker for due runs without a message: imported runs, runs of dead workers, findings of older rules."""
    if runs_due().exists():
        wake(COMPUTE)
