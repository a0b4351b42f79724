"""Group commit: threads queue entries, and one thread commits the whole queue in one transaction.

The first thread becomes the writer. A thread that arrives while another one writes sleeps until its entries are
written or until it becomes the next writer. With hundreds of calls in flight, one commit writes many entries.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection
from runs.engine import lease
from runs.engine.exceptions import LeaseLost
from runs.engine.writing import spool
from runs.engine.writing.entries import Intent, Orphans, PeriodEnd, QueuedWrite, Settlement, write
from runs.engine.writing.lines import LineIntents, LineSettlements
from runs.models import Exchange

logger = logging.getLogger(__name__)

MAX_BATCH = 200
RETRY_SECONDS = 600.0
RETRY_SECONDS_WHEN_STOPPING = 20.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 3.0
Result = TypeVar("Result")

DATABASE_AWAY = (OperationalError, InterfaceError)


def commit_outcome(commit: Callable[[], Result], keep: Callable[[], None] | None = None) -> Result:
    """Commit the outcome of a paid call by `commit`. While the database is away, try again, because it was paid for.

    keep: called before the first wait
    """
    started, pause = time.monotonic(), FIRST_PAUSE_SECONDS
    while True:
        try:
            return commit()
        except DATABASE_AWAY:
            lease.database_was_away()
            if keep and pause == FIRST_PAUSE_SECONDS:
                keep()
            patience = RETRY_SECONDS_WHEN_STOPPING if stopping.is_set() else RETRY_SECONDS
            if connection.in_atomic_block or time.monotonic() - started > patience:
                raise
            connection.close()
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


@dataclass(eq=False)
class QueuedEntries:
    """The queued entries of one thread. `wake` is set when the thread becomes the writer or its entries are written."""

    entries: Sequence[QueuedWrite]
    is_writer: bool = False
    abandoned: bool = False  # its thread was interrupted and no longer waits
    failure: Exception | None = None
    wake: threading.Event = field(default_factory=threading.Event)


class GroupCommit:
    """Commits the entries of all threads of this process."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Discard the queue. Called after a fork, because a child process must not use its parent's lock."""
        self._lock = threading.Lock()
        self._queue: deque[QueuedEntries] = deque()
        self._has_writer = False

    def intend(self, run_id: int, fence: int, exchange: Exchange, before: Settlement | None = None) -> None:
        """Commit that a call is about to be sent, and reserve its maximum cost.

        before: the outcome of the previous call, which is committed even if the new call is refused
        Raises LeaseLost, Interrupted, OverBudget or BudgetBusy if the call must not be sent, and DatabaseError.
        """
        self._write_after(before, Intent(run_id, fence, exchange))

    def settle(self, entry: Settlement) -> None:
        """Commit the outcome of a call. Raises LeaseLost if another worker has the run; the call is booked nevertheless.

        While the database is away, the outcome is kept in a file and tried again, because it was paid for.
        """
        run_id, exchange, spooled = entry.run_id, entry.exchange, False

        def keep() -> None:
            nonlocal spooled
            logger.warning("The database is away; the reply of exchange %d waits for it.", exchange.pk)
            spool.keep(exchange)
            spooled = True

        try:
            commit_outcome(partial(self._write, entry), keep)
        except LeaseLost:
            if spooled:
                spool.drop(run_id, exchange.pk)
            raise
        if spooled:
            spool.drop(run_id, exchange.pk)

    def intend_lines(self, run_id: int, fence: int, lines: Sequence[Exchange]) -> int:
        """Commit that lines of a batch are about to be submitted. Returns how many of the first lines the budgets allow.

        Raises the exceptions of `intend` if the budgets do not allow a single line.
        """
        entry = LineIntents(run_id, fence, lines)
        self._write(entry)
        return entry.stored

    def settle_lines(self, run_id: int, fence: int, lines: Sequence[Exchange]) -> None:
        """Commit the outcomes of lines.

        Raises LeaseLost; the provider keeps the outcomes for the next holder of the lease.
        """
        self._write(LineSettlements(run_id, fence, lines))

    def end_period(self, entry: PeriodEnd, before: Settlement | None = None) -> str:
        """Commit a period, and after the last period the run's result. Returns the run's stop request. Raises LeaseLost.

        before: the outcome of the last call, which is committed even if the end of the period is refused
        """
        self._write_after(before, entry)
        return entry.stop_request

    def close_orphans(self, run_id: int, fence: int, *, with_lines: bool = False) -> list[Exchange]:
        """Settle the open calls of earlier holders of the lease. Returns the settled exchanges.

        with_lines: also settle the lines of an open batch, whose replies the provider may still have
        """
        open_calls = Orphans.open_calls(run_id, fence, with_lines=with_lines)
        begun, spooled, closed = list(open_calls.values_list("created_at", flat=True)), spool.kept(run_id), []
        if begun:
            entry = Orphans(run_id, fence, spooled, begun, with_lines)
            self._write(entry)
            closed = entry.closed
        for exchange_id in spooled:
            spool.drop(run_id, exchange_id)
        return closed

    def _write_after(self, before: Settlement | None, entry: QueuedWrite) -> None:
        """Commit the outcome `before` and an entry in one transaction. If that fails, commit each in its own transaction."""
        if before is not None:
            try:
                self._write(before, entry)
                return
            except Exception as error:
                if error is entry.refusal:
                    raise
                self.settle(before)
        self._write(entry)

    def _write(self, *entries: QueuedWrite) -> None:
        """Commit entries in one transaction. Raises the refusal of the last entry."""
        # The writer needs a database session, which waiting threads must not occupy.
        let_go_of_connection()
        queued = QueuedEntries(entries)
        try:
            with self._lock:
                self._queue.append(queued)
                queued.is_writer, self._has_writer = not self._has_writer, True
            if not queued.is_writer:
                queued.wake.wait()
            if queued.is_writer:
                with self._lock:
                    self._queue.remove(queued)
                    others = [self._queue.popleft() for _ in range(min(len(self._queue), MAX_BATCH - 1))]
                self._write_batch([queued, *others])
        finally:
            with self._lock:
                queued.abandoned = True
                if queued.is_writer:
                    self._choose_next_writer()
        let_go_of_connection()
        if failure := queued.failure or entries[-1].refusal:
            raise failure

    def _choose_next_writer(self) -> None:
        """Wake the first waiting thread as the next writer. It also writes the entries of interrupted threads."""
        following = next((queued for queued in self._queue if not queued.abandoned), None)
        self._has_writer = following is not None
        if following is not None:
            following.is_writer = True
            following.wake.set()

    @staticmethod
    def _write_batch(batch: list[QueuedEntries]) -> None:
        """Write the entries and wake their threads."""
        try:
            write([entry for queued in batch for entry in queued.entries])
        except DATABASE_AWAY as error:
            _fail(batch, error)
        except Exception as error:
            if len(batch) == 1:
                _fail(batch, error)
                return
            for queued in batch:  # one faulty entry must not make those of other threads fail
                try:
                    write(queued.entries)
                except Exception as own:  # the thread of these entries raises it
                    _fail([queued], own)
        except BaseException:
            _fail(batch, OperationalError("The thread that wrote was interrupted."))
            raise
        finally:
            for queued in batch[1:]:
                queued.wake.set()


def _fail(batch: list[QueuedEntries], error: Exception) -> None:
    for queued in batch:
        queued.failure = error


group_commit = GroupCommit()
os.register_at_fork(after_in_child=group_commit.reset)
