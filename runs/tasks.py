"""Celery tasks. The broker carries hints only: which run is played next is decided in the database.

A message says "there may be something to do". Losing some or delivering one ten times changes nothing but latency, and the
queue stays short however many runs wait.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from celery import current_app, shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import RedisError

from econevals_site.connections import let_go_of_connection
from econevals_site.valkey import broker
from runs.engine import import_claims, lease, presence
from runs.engine.advance import play_held
from runs.engine.lease import BASELINES_ONLY
from runs.engine.stopping import stopping
from runs.models import ImportUpload, Run
from runs.webhooks import courier, hints

logger = logging.getLogger(__name__)

MOST_HINTS = 256
"""Messages kept in the queue at most; one for each run that a worker could play at once is enough."""

_computing = BoundedSemaphore(settings.BASELINES_AT_ONCE)
_importing = BoundedSemaphore(1)


@shared_task(name="runs.tasks.advance_next")
def advance_next() -> None:
    """Play the most advanced run that is due for a slice of time; come back while there was one."""
    try:
        if advance_one():
            wake(1)
    finally:
        let_go_of_connection()


def advance_one() -> bool:
    """Play one due run for a slice of time; whether there was one.

    Runs of models wait for the network, so hundreds may be played at once; those of baselines compute, so few are.
    """
    computing = _computing.acquire(blocking=False)
    try:
        taken = lease.take_next(baselines=computing)
        if taken is None:
            return False
        if computing and not Run.objects.filter(BASELINES_ONLY, pk=taken[0]).exists():
            _computing.release()
            computing = False
        play_held(*taken)
        return True
    finally:
        if computing:
            _computing.release()


@shared_task(name="runs.tasks.import_next")
def import_next() -> None:
    """Read or store the archive that waits longest; come back while there was one."""
    try:
        if import_one():
            wake_importer()
    finally:
        let_go_of_connection()


def import_one() -> bool:
    """Read or store one archive; whether there was one, and this process had none in hand.

    Imports compute for minutes, so a process works on one at a time, beside its runs and not in their places.
    """
    from runs.services.import_work import work  # services import this module

    if stopping.is_set() or not _importing.acquire(blocking=False):
        return False
    try:
        claim = import_claims.claim_next()
        if claim is None:
            return False
        work(claim)
        return True
    finally:
        _importing.release()


@shared_task(name="runs.tasks.sweep")
def sweep() -> None:
    """Send hints for what is due without one: waits that are over, orphans of dead workers, lost messages."""
    from runs.services.import_uploads import uploads_expire

    presence.leave_mark()
    due = Run.objects.filter(lease.due())[:MOST_HINTS].count()
    if due:
        wake(due)
    uploads_expire()
    if ImportUpload.objects.filter(import_claims.due()).exists():
        wake_importer()


def wake(runs: int) -> None:
    """Hint to the workers that so many runs are due. Where the broker is away nothing is lost: a later sweep hints again."""
    with _broker_may_be_away():
        waiting = broker().llen(current_app.conf.task_default_queue)
        for _ in range(min(runs, MOST_HINTS - waiting)):
            advance_next.delay()


def wake_importer() -> None:
    """Hint to the workers that an archive is to be read or stored."""
    with _broker_may_be_away():
        import_next.delay()  # however many runs wait: it is one message a sweep at most


@contextmanager
def _broker_may_be_away() -> Iterator[None]:
    try:
        yield
    except (RedisError, OperationalError, OSError):
        logger.warning("The broker cannot be reached; runs and imports start when it is back.")


@shared_task(name=hints.TASK)
def wake_courier() -> None:
    """There may be webhooks to deliver: this worker's courier looks at once instead of with its next round."""
    hints.here.set()


@worker_ready.connect
def _begin(**kwargs: object) -> None:
    courier.start()


@worker_shutting_down.connect
def _stop(**kwargs: object) -> None:
    stopping.set()
