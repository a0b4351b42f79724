"""Two transactions that would wait for each other if they locked rows in different orders."""

from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from infrastructure.transactions import write_transaction
from tests.waiting import wait_until

WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def crossing(first, act, second):
    """Lock by `first`, let `act` go on in a thread until it ends or waits, then lock by `second`. Returns what `act` returns.

    PostgreSQL ends a deadlock by an OperationalError in one of the two. On SQLite the thread waits for the whole transaction.
    """

    def acting():
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with write_transaction():
            first()
            result = pool.submit(acting)
            wait_until(
                lambda: result.done() or _somebody_waits(), lambda: "The thread neither ends nor waits for a lock."
            )
            second()
        return result.result()


def _somebody_waits():
    if connection.vendor == "sqlite":
        return True
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return cursor.fetchone()[0] > 0
