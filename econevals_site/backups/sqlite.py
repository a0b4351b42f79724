"""Copy and load an SQLite database while it is in use. Functions are as in postgres.py."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from django.db import connection

from econevals_site.backups.archive import BackupRefused, described

LOCKED_SECONDS = 60.0


def snapshot(target: Path, counts: dict[str, str], migrations: str) -> tuple[dict[str, int], list[str]]:
    """Copy the database while it is in use. Returns numbers of rows by name, and the migrations.

    counts: a query by name for each number of rows
    migrations: query for the applied migrations
    The queries run on the copy.
    """
    try:
        with closing(_opened()) as source, closing(sqlite3.connect(target)) as copy:
            # A copy in one step reads one snapshot. Writers continue meanwhile.
            source.backup(copy)
            return described(copy, counts, migrations)
    except sqlite3.Error as error:
        raise BackupRefused(f"SQLite could not make the copy: {error}.") from None


def highest_numbers() -> dict[str, int]:
    """Return the last used id of each table; {} if there is no database yet."""
    if not _database().exists():
        return {}
    with closing(_opened()) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
            return {}
        return dict(database.execute("SELECT name, seq FROM sqlite_sequence"))


def load(source: Path, statements: Sequence[str], numbers: dict[str, int]) -> None:
    """Replace the database by the copy and execute `statements`, in one transaction.

    numbers: an id for each table; its new rows get higher ids
    """
    deadline = time.monotonic() + LOCKED_SECONDS

    def give_up(status: int, remaining: int, total: int) -> None:
        """Raise BackupRefused at the deadline. Otherwise the copy would wait forever for another process's lock."""
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > deadline:
            raise BackupRefused("Another process keeps the database locked. End it and try again; nothing was changed.")

    try:
        with closing(sqlite3.connect(source)) as copy:
            if copy.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                raise BackupRefused("The database in the backup is damaged.")
            with copy:
                for statement in statements:
                    copy.execute(statement)
                for table, number in numbers.items():
                    raised = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
                    if not copy.execute(raised, (number, table)).rowcount:
                        copy.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))
            # Connections that are open now see the copy from their next query on.
            with closing(_opened()) as database:
                copy.backup(database, progress=give_up)
    except sqlite3.Error as error:
        raise BackupRefused(f"SQLite refused the backup, and nothing was changed: {error}.") from None


def _database() -> Path:
    return Path(connection.settings_dict["NAME"])


def _opened() -> sqlite3.Connection:
    return sqlite3.connect(_database(), timeout=LOCKED_SECONDS, isolation_level=None)
