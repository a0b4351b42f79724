"""Transactions that write."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import connection, transaction

_one_writer = threading.RLock()


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
