"""Transactions that write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.db import connection, transaction

_one_writer = threading.RLock()


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction. On SQLite the threads of this process queue here, which is fairer and faster than its busy retries."""
    with _one_writer if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        yield
