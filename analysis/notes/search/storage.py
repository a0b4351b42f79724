"""The full-text index in the database, beside the table of entries: SQLite's FTS5, or a column of PostgreSQL.

It is made after migrations and not in one, since it is the database's own. Triggers keep it like the table of entries, so
rows that are deleted with their run are gone from the index too.
"""

from typing import Any

from django.db import connections

TABLE, INDEX = "notes_searchentry", "notes_searchindex"


def _scope(row: str) -> str:
    """The SQL of the scope of a row, which a trigger knows as `new` or `old`."""
    return (
        f"'o' || {row}.organization_id || ' r' || {row}.run_id || ' a' || {row}.agent_id"
        f" || ' e' || {row}.environment || ' k' || {row}.kind"
    )


SQLITE = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {INDEX} USING fts5(scope, words, content='', tokenize='unicode61 tokenchars _')",
    f"CREATE TRIGGER IF NOT EXISTS {INDEX}_insert AFTER INSERT ON {TABLE} BEGIN"
    f" INSERT INTO {INDEX}(rowid, scope, words) VALUES (new.id, {_scope('new')}, new.words); END",
    f"CREATE TRIGGER IF NOT EXISTS {INDEX}_delete AFTER DELETE ON {TABLE} BEGIN"
    f" INSERT INTO {INDEX}({INDEX}, rowid, scope, words)"
    f" VALUES ('delete', old.id, {_scope('old')}, old.words); END",
)
"""The index holds no text. `scope` has the organization, run, agent, environment and kind as words, which FTS5 looks up as
fast as others: a search in one organization does not read the hits of all."""

POSTGRES = (
    f"ALTER TABLE {TABLE} ADD COLUMN IF NOT EXISTS vector tsvector"
    " GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED",
    f"CREATE INDEX IF NOT EXISTS {INDEX} ON {TABLE} USING gin (vector)",
)


def prepare_index(using: str = "default", **options: Any) -> None:
    """Make what is missing. Called after every migration."""
    connection = connections[using]
    with connection.cursor() as cursor:
        if TABLE in connection.introspection.table_names(cursor):
            for statement in SQLITE if connection.vendor == "sqlite" else POSTGRES:
                cursor.execute(statement)
