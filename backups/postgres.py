"""Copying and loading a PostgreSQL database in use, with pg_dump and pg_restore. The same functions as sqlite.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from django.db import connection, transaction
from psycopg import sql

from backups.archive import BackupRefused

LOCK_TIMEOUT = "30s"

EMPTY = f"""
SET lock_timeout = '{LOCK_TIMEOUT}';
DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('DROP TABLE public.%I CASCADE', t);
    END LOOP;
END $$;
"""


def snapshot(target: Path, counts: dict[str, str], migrations: str) -> tuple[dict[str, int], list[str]]:
    """Copy the database while it is in use. The queries run on the same snapshot as the copy."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        moment = cursor.fetchone()[0]
        words = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={moment}", f"--file={target}"]
        _run("pg_dump", *words)
        rows = {}
        for name, query in counts.items():
            cursor.execute(query)
            rows[name] = cursor.fetchone()[0]
        cursor.execute(migrations)
        return rows, [name for (name,) in cursor.fetchall()]


def highest_numbers() -> dict[str, int]:
    """The last id of each table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT regexp_replace(sequencename, '_id_seq$', ''), last_value FROM pg_sequences"
            " WHERE schemaname = 'public' AND last_value IS NOT NULL"
        )
        return dict(cursor.fetchall())


def load(source: Path, statements: Sequence[str], numbers: dict[str, int]) -> None:
    """Replace the database by the copy and execute `statements`, in one transaction.

    numbers: new rows of a table get ids above its number
    """
    script = source.with_name("script.sql")
    _run("pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(source), of_database=False)
    words, variables = _command("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-")
    psql = subprocess.Popen(
        words, env=variables, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert psql.stdin is not None and psql.stderr is not None
    try:
        _write_all(psql.stdin, script, [*statements, *_numbering(numbers)])
    except BrokenPipeError:
        pass  # psql explains the failure on stderr, read below
    finally:
        # If the final COMMIT was not sent, PostgreSQL rolls back.
        script.unlink()
    said = psql.stderr.read().decode(errors="replace")
    if psql.wait():
        raise BackupRefused(f"PostgreSQL refused the backup, and nothing was changed: {said.strip()[-500:]}")


def _write_all(into: IO[bytes], script: Path, statements: Sequence[str]) -> None:
    with into, script.open("rb") as copied:
        into.write(b"BEGIN;" + EMPTY.encode())
        shutil.copyfileobj(copied, into, 1 << 20)
        into.write(b"\nSET search_path = public;\n")
        into.write("".join(f"{statement};\n" for statement in statements).encode())
        into.write(b"COMMIT;\n")


def _numbering(numbers: dict[str, int]) -> list[str]:
    if not numbers:
        return []
    pairs = [
        sql.SQL("(") + sql.Literal(f"{table}_id_seq") + sql.SQL(", ") + sql.Literal(number) + sql.SQL(")")
        for table, number in sorted(numbers.items())
    ]
    query = (
        sql.SQL(
            "SELECT setval(format('public.%I', s.sequencename)::regclass, GREATEST(s.last_value, n.number))"
            " FROM pg_sequences s JOIN (VALUES "
        )
        + sql.SQL(", ").join(pairs)
        + sql.SQL(") AS n (name, number) ON n.name = s.sequencename WHERE s.schemaname = 'public'")
    )
    return [query.as_string(None)]


def _run(program: str, *words: str, of_database: bool = True) -> None:
    command, variables = _command(program, *words, of_database=of_database)
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise BackupRefused(f"{program} failed: {done.stderr.strip()[-500:]}")


def _command(program: str, *words: str, of_database: bool = True) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment of a program. Passwords are in the environment, where other users cannot read them."""
    found = shutil.which(program)
    if found is None:
        raise BackupRefused(f"{program} is not installed; it comes with the package postgresql-client.")
    arguments, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    target = list(arguments[1:]) if of_database else []
    if target:
        target.append(f"--dbname={target.pop()}")
    return [found, *target, *words], os.environ | (variables or {})
