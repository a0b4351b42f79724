"""Keeps the books of all calls of a process: the threads' entries are written together, in one transaction after another.

Whoever has something to write queues it and waits for the pen; the one who gets it writes everything that waits. With
hundreds of calls under way a commit then carries many of them, and nobody waits for a thread to be woken.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from runs.engine import lease, spool
from runs.engine.books import Entry, Intent, Orphans, Settlement, begun, write
from runs.engine.stopping import stopping
from runs.engine.writing import let_go_of_connection
from runs.models import Exchange

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 200
PERSIST_SECONDS = 600.0
PERSIST_WHEN_STOPPING_SECONDS = 20.0
LONGEST_PAUSE_SECONDS = 3.0
AWAY = (OperationalError, InterfaceError)


class Bookkeeper:
    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process has to."""
        self._pen = threading.Lock()
        self._waiting: deque[Entry] = deque()
        self._failures: dict[int, Exception] = {}

    def intend(self, run_id: int, fence: int, exchange: Exchange) -> None:
        """Commit that a call is about to be sent, with its maximum reserved.

        Raises LeaseLost, Interrupted, OverBudget or BudgetBusy where it must not be, DatabaseError where nobody knows.
        """
        self._write(Intent(run_id, fence, exchange))

    def settle(self, run_id: int, fence: int, exchange: Exchange) -> None:
        """Commit what came of a call. Raises LeaseLost where the run is another worker's; the call is booked as late then.

        While the database is away the call is kept in a file and tried again: it was paid for.
        """
        entry, started, pause, spooled = Settlement(run_id, fence, exchange), time.monotonic(), 0.1, False
        while True:
            try:
                self._write(entry)
                break
            except AWAY:
                lease.database_was_away()
                if not spooled:
                    logger.warning("The database is away; the reply of exchange %d waits for it.", exchange.pk)
                    spool.keep(exchange)
                    spooled = True
                if connection.in_atomic_block or time.monotonic() - started > _patience():
                    raise
                connection.close()
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            except lease.LeaseLost:
                if spooled:
                    spool.drop(run_id, exchange.pk)
                raise
        if spooled:
            spool.drop(run_id, exchange.pk)

    def close_orphans(self, run_id: int, fence: int) -> list[Exchange]:
        """Settle what earlier holders of the lease had sent and never settled; returned as they are now."""
        dates, spooled, closed = begun(run_id, fence), spool.kept(run_id), []
        if dates:
            entry = Orphans(run_id, fence, spooled, dates)
            self._write(entry)
            closed = entry.closed
        for exchange_id in spooled:
            spool.drop(run_id, exchange_id)
        return closed

    def _write(self, entry: Entry) -> None:
        # Whoever has the pen needs a session, which those who wait for it must not keep from them.
        let_go_of_connection()
        self._waiting.append(entry)
        while not entry.done:
            with self._pen:
                if not entry.done and id(entry) not in self._failures:
                    self._write_waiting()
                    let_go_of_connection()
            failure = self._failures.pop(id(entry), None)
            if failure is not None:
                raise failure
        if entry.refusal is not None:
            raise entry.refusal

    def _write_waiting(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]
        try:
            write(batch)
        except AWAY as error:
            self._failures |= {id(entry): error for entry in batch}
        except DatabaseError as error:
            if len(batch) == 1:
                self._failures[id(batch[0])] = error
                return
            for entry in batch:  # one that cannot be written must not keep the others from it
                try:
                    write([entry])
                except Exception as own:  # whoever waits for an entry has to hear of it, or waits for ever
                    self._failures[id(entry)] = own
        except Exception as error:
            self._failures |= {id(entry): error for entry in batch}


def _patience() -> float:
    return PERSIST_WHEN_STOPPING_SECONDS if stopping.is_set() else PERSIST_SECONDS


bookkeeper = Bookkeeper()
os.register_at_fork(after_in_child=bookkeeper.forget)
