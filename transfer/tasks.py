"""Celery tasks that read and store archives."""

from threading import BoundedSemaphore

from celery import shared_task

from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from transfer.claims import import_claims
from transfer.services.uploads import uploads_expire, wake_importer
from transfer.services.work import work

_importing = BoundedSemaphore(1)


@shared_task(name="transfer.tasks.import_next")
def import_next() -> None:
    """Read or store the upload that waits longest, and wake a worker for the next."""
    try:
        if import_one():
            wake_importer()
    finally:
        let_go_of_connection()


def import_one() -> bool:
    """Read or store one upload. Returns False if none is due or this process already works on one.

    Imports compute for minutes, so a process does one at a time, beside its runs and not in their slots.
    """
    if stopping.is_set() or not _importing.acquire(blocking=False):
        return False
    try:
        if claim := import_claims.claim_next():
            work(claim)
        return claim is not None
    finally:
        _importing.release()


def sweep() -> None:
    """The part of each sweep that concerns uploads."""
    uploads_expire()
    if import_claims.due().exists():
        wake_importer()
