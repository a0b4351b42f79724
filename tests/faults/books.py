"""Rows of the site read by plain SQL, not by the code that wrote them."""

import json
import sqlite3
import time
import zlib
from functools import cached_property
from pathlib import Path

import psycopg

from tests.waiting import PATIENCE, Patience


class Books:
    """One connection of one thread to the site's database, reopened whenever it broke."""

    def __init__(self, database):
        self.database = database
        self._connection = None

    @property
    def is_sqlite(self):
        return isinstance(self.database, Path)

    def rows(self, query, *values, seconds=PATIENCE):
        """All rows of a query; tried again while the database is away."""
        left = Patience(seconds)
        while True:
            try:
                return self._rows(query, values)
            except (sqlite3.OperationalError, psycopg.OperationalError):
                self.close()
                if left.is_over():
                    raise
                time.sleep(0.05)

    def one(self, query, *values, seconds=PATIENCE):
        """The only value of a query."""
        (row,) = self.rows(query, *values, seconds=seconds)
        (value,) = row.values()
        return value

    @cached_property
    def columns(self):
        """Columns by table, as far as the rig looks at tables."""
        if self.is_sqlite:
            tables = [row["name"] for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {table: {row["name"] for row in self.rows(f"PRAGMA table_info({table})")} for table in tables}
        found = {}
        query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        for row in self.rows(query):
            found.setdefault(row["table_name"], set()).add(row["column_name"])
        return found

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rows(self, query, values):
        if self._connection is None:
            self._connection = self._connect()
        cursor = self._connection.cursor()
        cursor.execute(query if self.is_sqlite else query.replace("?", "%s"), values)
        names = [column[0] for column in cursor.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in (cursor.fetchall() if names else ())]
        cursor.close()
        return found

    def _connect(self):
        if self.is_sqlite:
            return sqlite3.connect(self.database, timeout=5, isolation_level=None, check_same_thread=False)
        return psycopg.connect(str(self.database), autocommit=True, connect_timeout=5)


def unpacked(value):
    """What a compressed field holds."""
    return None if value is None else json.loads(zlib.decompress(bytes(value)))
