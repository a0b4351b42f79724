"""Wake-ups: Celery messages that make a worker look for work. The database decides what the work is.

A lost or repeated message changes only latency, because the sweep sends wake-ups again.
"""

import logging

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

from infrastructure import broker

logger = logging.getLogger(__name__)

MOST_WAITING = 256
"""Maximum length of the queue: one message for each run that a worker could play at once is enough."""


def wake(task: str, times: int = 1, *, even_if_full: bool = False) -> None:
    """Enqueue a task by name. even_if_full: also if the queue has MOST_WAITING messages."""
    try:
        room = times if even_if_full else MOST_WAITING - broker.client().llen(current_app.conf.task_default_queue)
        for _ in range(min(times, room)):
            current_app.send_task(task)
    except (RedisError, OperationalError, OSError):
        logger.warning("The broker cannot be reached; runs, imports and webhooks start when it is back.")
