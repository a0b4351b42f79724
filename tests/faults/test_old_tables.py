"""Tables of the last version are migrated; older tables are refused and left unchanged."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack, closing

import pytest
from django.db.migrations.loader import MigrationLoader

from tests.conftest import need
from tests.data_folders import ROOT
from tests.faults.books import Books
from tests.faults.history import AS_AN_EARLIER_VERSION, WITHOUT_HEADERS, before, code_of
from tests.faults.stages import Stage, postgres_programs
from tests.running_site import free_port

pytestmark = pytest.mark.long

RECORDED = "SELECT app, name FROM django_migrations ORDER BY id"
MADE = "SELECT type, name, rootpage FROM sqlite_master ORDER BY name"
MADE_ON_POSTGRES = (
    "SELECT relname, relkind, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
)
"""Tables and indexes with the place of their content, which changes when they are built again."""

REFUSAL = (
    "The database is too old for this version: start the version of 26 November 2026, 20:30 UTC, once, as docs/operating.md "
    "says, and then this one.\n"
)
ADDRESSES = "SELECT email FROM accounts_user ORDER BY username"
TWO_PEOPLE = """
from accounts.models import User
from django.db import connection
for name in ("ada", "kim"):
    User.objects.create_user(name, f"{name}@example.org", "correct horse battery")
with connection.cursor() as cursor:
    cursor.execute("UPDATE accounts_user SET email = 'Kim@Example.org' WHERE username = 'kim'")
"""


@pytest.fixture(scope="module")
def last_code(tmp_path_factory):
    """The last version with every migration."""
    return code_of(before("D", "runs/migrations/0026_indexes_of_boards.py"), tmp_path_factory.mktemp("last") / "code")


@pytest.fixture(scope="module")
def older_code(tmp_path_factory):
    """One that lacks the newest of the migrations that were replaced."""
    return code_of(before("A", "sharing/migrations/0002_notes_analyses.py"), tmp_path_factory.mktemp("older") / "code")


class Site:
    """Commands of any version on one data folder and database."""

    def __init__(self, stage):
        self.stage = stage
        self.books = Books(stage.database)

    def close(self):
        self.books.close()

    def run(self, code, *words):
        variables = self.stage.variables | {"PORT": str(free_port())}
        return subprocess.run(
            [sys.executable, "manage.py", *words], cwd=code, env=variables, capture_output=True, text=True
        )

    def says(self, code, *words):
        done = self.run(code, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def recorded(self):
        return [(row["app"], row["name"]) for row in self.books.rows(RECORDED)]

    def tables(self):
        return self.books.rows(MADE if self.books.is_sqlite else MADE_ON_POSTGRES)

    def schema(self):
        """Every statement that makes the tables, its columns in alphabetical order."""
        if self.books.is_sqlite:
            rows = self.books.rows("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
            return [(row["name"], *sorted(clauses(row["sql"] or ""))) for row in rows]
        dump = [postgres_programs() / "pg_dump", "--schema-only", "--no-owner", self.stage.database]
        text = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
        # Newer programs begin and end with a line that contains a random word.
        lines = "\n".join(line.rstrip(",") for line in text.split("\n") if "restrict " not in line)
        return sorted(sorted(statement.split("\n")) for statement in lines.split(";\n"))


def clauses(sql):
    """The text split at its commas outside of inner parentheses."""
    found, depth = [""], 0
    for letter in sql.strip(")"):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 1:
            found.append("")
        else:
            found[-1] += letter
    return [text.strip() for text in found]


@pytest.fixture(params=["sqlite", "postgres"])
def new_stage(request, tmp_path):
    """Makes stages on the same kind of database."""
    server = os.environ.get("TEST_DATABASE_URL", "")
    if request.param == "postgres":
        need("PostgreSQL (TEST_DATABASE_URL) and pg_dump", bool(server) and postgres_programs() is not None)
    with ExitStack() as stages:

        def new_stage(name):
            if request.param == "sqlite":
                return Stage.on_sqlite(tmp_path / name)
            return stages.enter_context(Stage.on_postgres(tmp_path / name, server))

        yield new_stage


@pytest.fixture
def site(new_stage):
    with closing(Site(new_stage("site"))) as site:
        yield site


def later_than(code):
    """(app, name) of the migrations that were added since a version and replace none of its own."""
    now, before = (
        {(path.parts[-3], path.stem) for path in root.glob("[a-z]*/**/migrations/0*.py")} for root in (ROOT, code)
    )
    return now - before - set(MigrationLoader(None).replacements)


def test_tables_of_the_last_version_become_those_of_a_new_site(site, new_stage, last_code, tmp_path):
    site.says(last_code, "migrate", "--verbosity", "0")
    site.says(last_code, "backup", str(tmp_path / "last.zip"))
    recorded = site.recorded()
    said = site.says(ROOT, "migrate")
    later, replacements = later_than(last_code), set(MigrationLoader(None).replacements)
    assert set(re.findall(r"Applying (\w+)\.(\w+)\.\.\. OK", said)) == later
    assert set(site.recorded()) - set(recorded) == later | replacements
    schema = site.schema()
    with closing(Site(new_stage("new"))) as new:
        new.says(ROOT, "migrate", "--verbosity", "0")
        assert new.schema() == schema
    upgraded = site.recorded()
    site.says(ROOT, "restore", str(tmp_path / "last.zip"), "--yes")
    assert site.recorded() == upgraded


def test_tables_of_the_version_before_only_get_case_folded_addresses(site):
    site.says(ROOT, "migrate", "--verbosity", "0")
    site.says(ROOT, "shell", "--no-imports", "-c", TWO_PEOPLE)
    for statement in WITHOUT_HEADERS:
        site.books.rows(statement)
    assert "0010_address_case" in {row["name"] for row in site.books.rows(AS_AN_EARLIER_VERSION)}
    tables = site.tables()
    assert "Applying accounts.0010_address_case... OK" in site.says(ROOT, "migrate")
    assert site.tables() == tables
    assert [row["email"] for row in site.books.rows(ADDRESSES)] == ["ada@example.org", "kim@example.org"]


def test_tables_of_other_versions_and_their_backups_are_refused_with_a_sentence(site, older_code, tmp_path):
    site.says(older_code, "migrate", "--verbosity", "0")
    site.says(older_code, "backup", str(tmp_path / "older.zip"))
    tables, recorded = site.tables(), site.recorded()
    for command in ("migrate", "up", "owner"):
        done = site.run(ROOT, command)
        assert (done.returncode, done.stderr) == (2, REFUSAL), command
    done = site.run(ROOT, "restore", str(tmp_path / "older.zip"), "--yes")
    assert done.returncode == 2 and "older.zip is too old for this version: restore it with" in done.stderr
    assert (site.tables(), site.recorded()) == (tables, recorded)
