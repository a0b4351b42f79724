"""Transactions that write."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import connection, models, transaction

_one_writer = threading.RLock()

ROWS_AT_ONCE = 500
"""Rows inserted by one statement; SQLite takes at most 32,766 values."""


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction. On SQLite the threads of this process queue here, which is fairer and faster than its busy retries."""
    with _one_writer if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        yield


def update_many(model: type[Any], changes: str, rows: Sequence[Sequence[Any]]) -> None:
    """One statement for many rows, each the values of `changes` and the row's number.

    For what is written with every call: composing a query takes the ORM longer than running it.
    """
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(f"UPDATE {model._meta.db_table} SET {changes} WHERE id = %s", rows)


def insert_plain(model: type[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Thousands of new rows, each the values of `columns` as the database takes them; no other column gets its default."""
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({places})", list(rows))


def insert_many(rows: Sequence[models.Model]) -> None:
    """New rows of one model, which get their numbers."""
    for first in range(0, len(rows), ROWS_AT_ONCE):
        _insert(rows[first : first + ROWS_AT_ONCE])


def _insert(rows: Sequence[models.Model]) -> None:
    model = type(rows[0])
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows for field in fields]
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * len(rows))
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES {places} RETURNING id", values)
        for row, (number,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk, row._state.adding = number, False
