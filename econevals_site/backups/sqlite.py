"""Copying and loading an SQLite database in use. The same functions as postgres.py."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from django.db import connection

from econevals_site.backups.archive import BackupRefused

LOCKED_SECONDS = 60.0


def snapshot(target: Path, counts: dict[str, str], migrations: str) -> tuple[dict[str, int], list[str]]:
    """Copy the database while it is in use. The queries run on the copy."""
    try:
        with closing(_opened()) as source, closing(sqlite3.connect(target)) as copy:
            # One step reads one snapshot; writers continue meanwhile.
            source.backup(copy)
            rows = {name: copy.execute(query).fetchone()[0] for name, query in counts.items()}
            return rows, [name for (name,) in copy.execute(migrations)]
    except sqlite3.Error as error:
        raise BackupRefused(f"SQLite could not make the copy: {error}.") from None


def highest_numbers() -> dict[str, int]:
    """The last id of each table; empty if there is no database yet."""
    if not _database().exists():
        return {}
    with closing(_opened()) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
            return {}
        return dict(database.execute("SELECT name, seq FROM sqlite_sequence"))


def load(source: Path, statements: Sequence[str], numbers: dict[str, int]) -> None:
    """Replace the database by the copy and execute `statements`, in one transaction.

    numbers: new rows of a table get ids above its number
    """
    deadline = time.monotonic() + LOCKED_SECONDS

    def give_up(status: int, remaining: int, total: int) -> None:
        """Without this the copy would wait forever while another process holds the lock."""
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
            # Open connections see the copy with their next query.
            with closing(_opened()) as database:
                copy.backup(database, progress=give_up)
    except sqlite3.Error as error:
        raise BackupRefused(f"SQLite refused the backup, and nothing was changed: {error}.") from None


def _database() -> Path:
    return Path(connection.settings_dict["NAME"])


def _opened() -> sqlite3.Connection:
    return sqlite3.connect(_database(), timeout=LOCKED_SECONDS, isolation_level=None)
