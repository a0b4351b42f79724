"""Write transactions, and bulk writes in raw SQL."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models, transaction

_one_writer = threading.RLock()

ROWS_AT_ONCE = 500
"""Rows per INSERT statement. SQLite allows at most 32,766 values."""


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction. On SQLite the threads of this process queue for it, which is fairer and faster than busy retries."""
    with _one_writer if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        yield


def lock_name(name: str) -> None:
    """Hold an advisory lock until the transaction ends. On SQLite a write transaction is alone already."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [name])


def lock_row(model: type[Any], pk: int) -> None:
    """Lock a row until the transaction ends. On SQLite a write transaction is alone already.

    Every lock of ours is FOR NO KEY UPDATE, unless the row is deleted next. FOR UPDATE would also wait for transactions
    that insert rows which refer to this one. They check that it exists when they commit, in the order of their inserts,
    and that leads to deadlocks.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT FROM {model._meta.db_table} WHERE id = %s FOR NO KEY UPDATE", [pk])


def lock_rows(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Lock rows until the transaction ends, in the order of their ids. Returns exactly these, for what changes them.

    An UPDATE alone locks rows in the order in which it reads them, and two of these could wait for each other. The same
    happens if it comes to a row that met the condition only after the others were locked.
    """
    if connection.vendor != "postgresql":
        return rows
    locked = rows.select_for_update(of=("self",), no_key=True).order_by("pk")
    return rows.model._base_manager.filter(pk__in=list(locked.values_list("pk", flat=True)))


def update_many(model: type[Any], changes: str, rows: Sequence[Sequence[Any]]) -> None:
    """Update many rows with one statement. Each row has the values of `changes` and the id.

    For writes with every model call, where composing a query takes the ORM longer than running it.
    """
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(f"UPDATE {model._meta.db_table} SET {changes} WHERE id = %s", rows)


def insert_plain(model: type[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert thousands of rows of database values. Columns that are not named do not get their Python defaults."""
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({places})", list(rows))


def insert_many(rows: Sequence[models.Model]) -> None:
    """Insert rows of one model and set their ids."""
    table, fields, columns = _insertion(type(rows[0]))
    # The proxy would look the connection up for every value.
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
    """Table, fields without the id, and their columns as SQL."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    return model._meta.db_table, fields, ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
