"""Messages that tell a worker to look for work. They are hints: what is done next is decided in the database.

Losing some or delivering one ten times changes nothing but latency, since a sweep sends them again.
"""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

from infrastructure.broker import broker

logger = logging.getLogger(__name__)

MOST_WAITING = 256
"""Messages kept in the queue; one for each run that a worker could play at once is enough."""


def wake(task: str, times: int = 1, *, even_if_full: bool = False) -> None:
    """Send a task of this name to the workers. even_if_full: also where MOST_WAITING messages wait already."""
    try:
        room = times if even_if_full else MOST_WAITING - broker().llen(current_app.conf.task_default_queue)
        for _ in range(min(times, room)):
            current_app.send_task(task)
    except (RedisError, OperationalError, OSError):
        logger.warning("The broker cannot be reached; runs, imports and webhooks start when it is back.")
