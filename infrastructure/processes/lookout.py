"""Threads in each worker that look for due work, beside the threads that play runs."""

import logging
import os
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection

logger = logging.getLogger(__name__)


class Lookout:
    """One thread of a process that calls `look` every few seconds, and at once when it is woken.

    Another process, or another thread of the pool that `look` uses, may do the same work: `look` claims it in the database.
    """

    def __init__(self, subject: str, look: Callable[[], object]) -> None:
        """subject: what the thread looks for, as the start of a log line, such as 'The outbox'."""
        self._subject = subject
        self._look = look
        self._woken = threading.Event()
        self._is_here = threading.Event()
        os.register_at_fork(after_in_child=self._is_here.clear)

    def start(self) -> None:
        """Start the thread of this process, once."""
        if not self._is_here.is_set():
            self._is_here.set()
            self._woken.set()
            threading.Thread(target=self._run, name=self._subject, daemon=True).start()

    def wake(self) -> bool:
        """Let the thread look at once; return whether this process has one."""
        self._woken.set()
        return self._is_here.is_set()

    def _run(self) -> None:
        while not stopping.is_set():
            self._woken.wait(settings.SWEEP_SECONDS)
            self._woken.clear()
            work_apart(self._subject, self._look)


def work_apart(subject: str, work: Callable[[], object]) -> None:
    """Do a piece of work of a thread: an error is logged, and the database connection is closed after it."""
    try:
        work()
    except (DatabaseError, InterfaceError):
        logger.warning("%s waits for the database.", subject, exc_info=True)
    except Exception:
        logger.exception("%s failed.", subject)
    finally:
        let_go_of_connection()
