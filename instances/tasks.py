"""Celery tasks that play measurements."""

from threading import BoundedSemaphore

from celery import shared_task

from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.wake_ups import wake
from instances.measuring.claims import claims
from instances.measuring.services import MEASURE
from instances.measuring.work import work

_measuring = BoundedSemaphore(1)


@shared_task(name=MEASURE)
def measure_next() -> None:
    """Play the measurement that waits longest, and wake a worker for the next."""
    try:
        if measure_one():
            wake(MEASURE, even_if_full=True)
    finally:
        let_go_of_connection()


def measure_one() -> bool:
    """Play one measurement. Returns False if none is due or this process already plays one."""
    if stopping.is_set() or not _measuring.acquire(blocking=False):
        return False
    try:
        if claim := claims.claim_next():
            work(claim)
        return claim is not None
    finally:
        _measuring.release()


def sweep() -> None:
    """The part of each sweep that concerns measurements."""
    if claims.due().exists():
        wake(MEASURE, even_if_full=True)
