"""Copy and load a PostgreSQL database while it is in use, with pg_dump and pg_restore. Functions are as in sqlite.py."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from django.db import connection, transaction
from psycopg import sql

from econevals_site.backups.archive import BackupRefused, described

EMPTY = """
SET lock_timeout = '30s';
DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('DROP TABLE public.%I CASCADE', t);
    END LOOP;
END $$;
"""
WITHOUT_RIGHTS = ("--no-owner", "--no-privileges")
RAISE = sql.SQL(
    "SELECT setval(format('public.%I', s.sequencename)::regclass, GREATEST(s.last_value, n.number::bigint))"
    " FROM pg_sequences s JOIN json_each_text("
)
BY_NAME = sql.SQL(
    ") AS n (name, number) ON s.sequencename = n.name || '_id_seq' WHERE s.schemaname = 'public' AND n.number::bigint > 0"
)


def snapshot(target: Path, counts: dict[str, str], migrations: str) -> tuple[dict[str, int], list[str]]:
    """Copy the database while it is in use. Returns numbers of rows by name, and the migrations.

    counts: a query by name for each number of rows
    migrations: query for the applied migrations
    The queries run on the same snapshot as the copy.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        moment = cursor.execute("SELECT pg_export_snapshot()").fetchone()[0]
        _run("pg_dump", "--format=custom", *WITHOUT_RIGHTS, f"--snapshot={moment}", f"--file={target}")
        return described(cursor, counts, migrations)


def highest_numbers() -> dict[str, int]:
    """Return the last used id of each table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT regexp_replace(sequencename, '_id_seq$', ''), last_value FROM pg_sequences"
            " WHERE schemaname = 'public' AND last_value IS NOT NULL"
        )
        return dict(cursor.fetchall())


def load(source: Path, statements: Sequence[str], numbers: dict[str, int]) -> None:
    """Replace the database by the copy and execute `statements`, in one transaction.

    numbers: an id for each table; its new rows get higher ids
    """
    script = source.with_name("script.sql")
    _run("pg_restore", *WITHOUT_RIGHTS, f"--file={script}", str(source), of_database=False)
    raised = (RAISE + sql.Literal(json.dumps(numbers)) + BY_NAME).as_string(None)
    _run(
        "psql",
        *("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", f"--command={EMPTY}"),
        *(f"--file={script}", "--command=SET search_path = public"),
        *(f"--command={statement}" for statement in (*statements, raised)),
        problem="PostgreSQL refused the backup, and nothing was changed",
    )


def _run(program: str, *options: str, of_database: bool = True, problem: str = "") -> None:
    """Run a program of PostgreSQL. Raises BackupRefused if it fails.

    Passwords are passed in its environment, where other users cannot read them.
    of_database: whether it connects to the database
    problem: start of the error message
    """
    executable = shutil.which(program)
    if executable is None:
        raise BackupRefused(f"{program} is not installed; it comes with the package postgresql-client.")
    arguments, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    *target, name = arguments[1:]
    command = [executable, *target, f"--dbname={name}", *options] if of_database else [executable, *options]
    done = subprocess.run(command, env=os.environ | (variables or {}), capture_output=True, text=True)
    if done.returncode:
        raise BackupRefused(f"{problem or f'{program} failed'}: {done.stderr.strip()[-500:]}")
