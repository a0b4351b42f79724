"""Celery tasks that deliver webhooks."""

from celery import shared_task
from celery.signals import worker_ready

from workspace.webhooks.delivery.dispatcher import WAKE, dispatcher


@shared_task(name=WAKE)
def wake_dispatcher() -> None:
    """Make the dispatcher of this worker look for due deliveries at once."""
    dispatcher.lookout.wake()


@worker_ready.connect
def _begin(**kwargs: object) -> None:
    dispatcher.lookout.start()
