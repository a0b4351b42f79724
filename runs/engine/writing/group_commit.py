"""Keeps the books of all calls and periods of a process: what its threads have to write is written together, in one
transaction after another.

Whoever has something to write gets in line. Where nobody writes, it writes at once; else it sleeps until its entry was
written, or until it is its turn to write everything that waits by then. With hundreds of calls under way a commit then
carries many of them, and each thread is woken once, by the one that wrote for it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from runs.engine import lease
from runs.engine.writing import spool
from runs.engine.writing.entries import Entry, Intent, Orphans, Settlement, begun, write
from runs.engine.writing.period_entries import PeriodEnd, Played
from runs.models import Exchange

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 200
PERSIST_SECONDS = 600.0
PERSIST_WHEN_STOPPING_SECONDS = 20.0
LONGEST_PAUSE_SECONDS = 3.0
AWAY = (OperationalError, InterfaceError)


@dataclass(eq=False)
class Place:
    """An entry in line. Its thread sleeps until the bell is let go: it is to write then, or its entry was written.

    left: its thread does not wait for it any more
    """

    entry: Entry
    writes: bool = False
    left: bool = False
    failure: Exception | None = None
    bell: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.bell.acquire()


class Bookkeeper:
    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process has to."""
        self._lock = threading.Lock()
        self._line: deque[Place] = deque()
        self._somebody_writes = False

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

    def end_period(self, run_id: int, fence: int, played: Played, ending: dict[str, Any]) -> str:
        """Commit a period, and with the last one how the run ends; returns what a person wishes of the run, "" for nothing.

        Raises LeaseLost where it must not be written, DatabaseError where nobody knows.
        """
        entry = PeriodEnd(run_id, fence, played, ending)
        self._write(entry)
        return entry.wish

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
        # Whoever writes needs a session, which those who wait must not keep from them.
        let_go_of_connection()
        place = Place(entry)
        try:
            with self._lock:
                self._line.append(place)
                place.writes, self._somebody_writes = not self._somebody_writes, True
            if not place.writes:
                place.bell.acquire()
            if place.writes:
                self._write_batch(self._batch_with(place))
        finally:
            with self._lock:
                place.left = True
                if place.writes:
                    self._pass_on()
        let_go_of_connection()
        if failure := place.failure or entry.refusal:
            raise failure

    def _batch_with(self, place: Place) -> list[Place]:
        with self._lock:
            self._line.remove(place)
            return [place, *(self._line.popleft() for _ in range(min(len(self._line), MOST_AT_ONCE - 1)))]

    def _pass_on(self) -> None:
        """Let the first that waits write. What nobody waits for any more is written with the next entry."""
        following = next((place for place in self._line if not place.left), None)
        self._somebody_writes = following is not None
        if following is not None:
            following.writes = True
            following.bell.release()

    @staticmethod
    def _write_batch(batch: list[Place]) -> None:
        """Write entries and ring for those that wait for them."""
        try:
            write([place.entry for place in batch])
        except AWAY as error:
            _fail(batch, error)
        except Exception as error:
            if len(batch) == 1:
                _fail(batch, error)
                return
            for place in batch:  # one that cannot be written must not keep the others from it
                try:
                    write([place.entry])
                except Exception as own:  # whoever waits for an entry has to hear of it, or waits for ever
                    _fail([place], own)
        except BaseException:
            _fail(batch, OperationalError("The thread that wrote was interrupted."))
            raise
        finally:
            for place in batch[1:]:
                place.bell.release()


def _fail(places: list[Place], error: Exception) -> None:
    for place in places:
        place.failure = error


def _patience() -> float:
    return PERSIST_WHEN_STOPPING_SECONDS if stopping.is_set() else PERSIST_SECONDS


bookkeeper = Bookkeeper()
os.register_at_fork(after_in_child=bookkeeper.forget)
