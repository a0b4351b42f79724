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
    """A thread that calls `look` every few seconds, and at once when it is woken.

    Several processes and threads may look at the same time, so `look` must claim its work in the database.
    """

    def __init__(self, subject: str, look: Callable[[], object]) -> None:
        """Prepare the thread. `subject` names it at the start of log lines, such as 'The outbox'."""
        self._subject = subject
        self._look = look
        self._woken = threading.Event()
        self._is_here = threading.Event()
        os.register_at_fork(after_in_child=self._is_here.clear)

    def start(self) -> None:
        """Start the thread, unless this process has started it already."""
        if not self._is_here.is_set():
            self._is_here.set()
            self._woken.set()
            threading.Thread(target=self._run, name=self._subject, daemon=True).start()

    def wake(self) -> bool:
        """Make the thread look at once. Returns whether this process has started the thread."""
        self._woken.set()
        return self._is_here.is_set()

    def _run(self) -> None:
        while not stopping.is_set():
            self._woken.wait(settings.SWEEP_SECONDS)
            self._woken.clear()
            work_apart(self._subject, self._look)


def work_apart(subject: str, work: Callable[[], object]) -> None:
    """Do a piece of work in a thread. Errors are logged instead of raised; the database connection is then released."""
    try:
        work()
    except (DatabaseError, InterfaceError):
        logger.warning("%s waits for the database.", subject, exc_info=True)
    except Exception:
        logger.exception("%s failed.", subject)
    finally:
        let_go_of_connection()
