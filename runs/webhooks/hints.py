"""Saying that there is something to deliver. A hint only: without it a courier finds it with its next look."""

from __future__ import annotations

import logging
import threading

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

from econevals_site.valkey import broker

logger = logging.getLogger(__name__)

TASK = "runs.tasks.wake_courier"
MOST_HINTS = 256

here = threading.Event()
"""Set where a courier of this process should look."""

courier_is_here = threading.Event()
"""Whether this process has a courier: then no message has to travel."""


def nudge() -> None:
    """To be called on commit. Where the broker is away nothing is lost."""
    if courier_is_here.is_set():
        here.set()
        return
    try:
        if broker().llen(current_app.conf.task_default_queue) < MOST_HINTS:
            current_app.send_task(TASK)
    except (RedisError, OperationalError, OSError):
        logger.warning("The broker cannot be reached; webhooks are delivered a little later.")
