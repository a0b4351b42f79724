"""Celery tasks that deliver webhooks."""

from __future__ import annotations

from celery import shared_task
from celery.signals import worker_ready

from webhooks.delivery import dispatcher, wake_ups


@shared_task(name=wake_ups.TASK)
def wake_dispatcher() -> None:
    """Make the dispatcher of this worker look for due deliveries at once."""
    wake_ups.here.set()


@worker_ready.connect
def _begin(**kwargs: object) -> None:
    dispatcher.start()
