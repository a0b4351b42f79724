"""Transactions and connections of the database, bulk writes in raw SQL, and wake-ups of workers after a commit.

A process has at most POOL_SIZE PostgreSQL sessions. No thread keeps one while it waits for a slow client, a model, an
identity provider or a mail server. A wake-up is a Celery message that makes a worker look for work in the database. A
lost or repeated wake-up changes only latency, because the sweep sends wake-ups again.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

from celery import current_app
from django.db import DEFAULT_DB_ALIAS, connection, connections, models, transaction
from django.http import HttpRequest, HttpResponse
from kombu.exceptions import OperationalError
from redis import RedisError

from infrastructure import broker

logger = logging.getLogger(__name__)

_one_writer = threading.RLock()

ROWS_AT_ONCE = 500
"""Rows per INSERT statement. SQLite allows at most 32,766 values."""


@contextmanager
def write_transaction() -> Iterator[None]:
    """Open a transaction. On SQLite, threads of this process queue for it, which is fairer and faster than retries."""
    with _one_writer if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        yield


def lock_name(name: str) -> None:
    """Hold an advisory lock until the transaction ends."""
    _lock("SELECT pg_advisory_xact_lock(hashtext(%s))", name)


def lock_row(model: type[Any], pk: int) -> None:
    """Lock a row until the transaction ends.

    All our locks are FOR NO KEY UPDATE, unless the row is deleted next. FOR UPDATE would also wait for transactions that
    insert rows with a reference to this one. These check at their commit, in the order of their inserts, that the row
    exists, and that leads to deadlocks.
    """
    _lock(f"SELECT FROM {model._meta.db_table} WHERE id = %s FOR NO KEY UPDATE", pk)


def _lock(statement: str, value: int | str) -> None:
    """Run a statement that locks. SQLite needs no locks, since it runs one write transaction at a time."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(statement, [value])


def lock_rows(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Lock rows until the transaction ends, in the order of their ids. Returns a queryset of exactly these rows.

    Use the result for an UPDATE. An UPDATE alone locks rows in the order in which it reads them, so two of them could
    wait for each other. This also happens if it reaches a row that met the condition only after the others were locked.
    """
    if connection.vendor != "postgresql":
        return rows
    locked = rows.select_for_update(of=("self",), no_key=True).order_by("pk")
    return rows.model._base_manager.filter(pk__in=list(locked.values_list("pk", flat=True)))


def update_many(model: type[Any], changes: str, rows: Sequence[Sequence[Any]]) -> None:
    """Update many rows with one statement. It is for writes at each model call, which the ORM would compose slowly.

    changes: assignments in SQL, such as "state = %s"
    rows: for each row the values of `changes`, then the id
    """
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(f"UPDATE {model._meta.db_table} SET {changes} WHERE id = %s", rows)


def insert_plain(model: type[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert thousands of rows, given as database values. Columns that are not named get no defaults from Python."""
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({places})", list(rows))


def insert_many(rows: Sequence[models.Model]) -> None:
    """Insert rows of one model and set their ids."""
    table, fields, columns = _insertion(type(rows[0]))
    # Django's `connection` is a proxy, which would look the connection up for every value.
    database = connections[DEFAULT_DB_ALIAS]
    for first in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[first : first + ROWS_AT_ONCE]
        values = [field.get_db_prep_save(getattr(row, field.attname), database) for row in some for field in fields]
        places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * len(some))
        with database.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} ({columns}) VALUES {places} RETURNING id", values)
            for row, (number,) in zip(some, cursor.fetchall(), strict=True):
                row.pk, row._state.adding = number, False


@cache
def _insertion(model: type[models.Model]) -> tuple[str, list[Any], str]:
    """Return the table, its fields without the id, and their columns as SQL."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    return model._meta.db_table, fields, ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)


MOST_WAITING = 256
"""Maximum length of the queue. One message for each run that a worker can play at the same time is enough."""


def wake(task: str, times: int = 1, *, even_if_full: bool = False) -> None:
    """Enqueue a task by name, `times` times. If the queue is full, the rest is dropped, unless `even_if_full` is true."""
    try:
        room = times if even_if_full else MOST_WAITING - broker.client().llen(current_app.conf.task_default_queue)
        for _ in range(min(times, room)):
            current_app.send_task(task)
    except (RedisError, OperationalError, OSError):
        logger.warning("The broker cannot be reached; runs, imports and webhooks start when it is back.")


HAS_POOL = connection.vendor == "postgresql"

TURNS = 2 if HAS_POOL else 1
"""Number of requests that compute at the same time. Python runs one thread at a time, so more would delay each other.

PostgreSQL computes in a process of its own, so a second request can go on meanwhile.
"""

LONGEST_WAIT = 0.5
"""Seconds after which a request goes on without a turn, so that requests with a turn cannot block it."""

_turns = threading.BoundedSemaphore(TURNS)
_thread = threading.local()


def let_go_of_connection() -> None:
    """End the turn of a request, and return its connection to the pool unless in a transaction. Call this before waiting.

    SQLite has no pool, so its connection stays with the thread.
    """
    if getattr(_thread, "has_turn", False):
        _thread.has_turn = False
        _turns.release()
    if HAS_POOL and not connection.in_atomic_block:
        connection.close()


def release_connection(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Outermost middleware. It waits for a turn; before the response is sent it ends the turn and releases the connection.

    Django closes the connection only after the last byte, and a client that does not read can delay that for ever.
    Streamed responses get a connection of their own.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        _thread.has_turn = _turns.acquire(timeout=LONGEST_WAIT)
        try:
            return get_response(request)
        finally:
            let_go_of_connection()
            if request.resolver_match:
                # `tried` holds hundreds of lists. They would stay in memory until garbage collection finds the request.
                request.resolver_match.tried = None

    return respond
