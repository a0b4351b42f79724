"""A file that is not a backup, or not for this site, is refused with a sentence before anything changes."""

import sqlite3
import zipfile
from contextlib import closing

import pytest
from django.db import connection

from econevals_site.backups import archive, sqlite
from econevals_site.backups.archive import ENGINES, BackupRefused, Manifest
from econevals_site.backups.services import backup_check
from infrastructure.upgrades.age import replaced_migrations

DATABASE = bytes(range(256)) * 400


@pytest.fixture
def made(tmp_path):
    """A backup's file; keyword arguments as of Manifest."""

    def made(**values):
        (tmp_path / "database").write_bytes(DATABASE)
        usual = {"engine": connection.vendor, "made_at": "2026-01-02T03:04:05+00:00", "migrations": [], "rows": {}}
        archive.write(tmp_path / "backup.zip", Manifest(**(usual | values)), tmp_path / "database")
        return tmp_path / "backup.zip"

    return made


@pytest.fixture
def database(tmp_path, monkeypatch):
    """The path of the site's database."""
    monkeypatch.setattr(sqlite, "_database", lambda: tmp_path / "database")
    return tmp_path / "database"


def refusal(path):
    with pytest.raises(BackupRefused) as refused:
        backup_check(path=path)
        archive.extract(path, path.with_name("extracted"))
    return str(refused.value)


def test_a_backup_restores_an_identical_database(made, tmp_path):
    path = made(rows={"runs": 2}, migrations=["drift.0001_initial", "some_app_that_is_gone.0001_initial"])
    assert backup_check(path=path).rows == {"runs": 2}
    archive.extract(path, tmp_path / "extracted")
    assert (tmp_path / "extracted").read_bytes() == DATABASE


def test_files_that_are_not_a_backup_are_refused(tmp_path):
    path = tmp_path / "backup.zip"
    assert "cannot be read: No such file" in refusal(path)
    path.write_text("not a zip")
    assert "is not a backup" in refusal(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("database", b"")
    assert "is not a backup" in refusal(path)


@pytest.mark.long
def test_a_backup_that_is_cut_or_changed_is_refused(made):
    path = made()
    whole = path.read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 20)):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path)
    data = range(len(whole) // 4, len(whole) // 2)
    for place in data[:: len(data) // 20]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert "damaged" in refusal(path)


def test_a_backup_of_another_kind_of_site_or_of_a_later_version_is_refused(made):
    (other,) = set(ENGINES) - {connection.vendor}
    assert f"is of a site on {ENGINES[other]}, and this one is on" in refusal(made(engine=other))
    assert "was made by a later version of EconEvals (runs.9999_later)" in refusal(made(migrations=["runs.9999_later"]))
    assert "in a format that this one cannot read" in refusal(made(format=2))
    assert "in a format that this one cannot read" in refusal(made(engine="oracle"))


def test_a_backup_needs_every_migration_of_the_last_version(made):
    replaced = [f"{app}.{name}" for app, name in sorted(replaced_migrations())]
    assert {"runs.0001_squashed_0026_indexes_of_boards", "runs.0033_search_proofs"} < set(replaced)
    assert backup_check(path=made(migrations=replaced))
    replaced.remove("runs.0033_search_proofs")
    assert "is too old for this version: restore it with the version of " in refusal(made(migrations=replaced))


def test_a_locked_database_is_not_overwritten(tmp_path, database, monkeypatch):
    source = tmp_path / "source"
    for path, number in ((source, 1), (database, 2)):
        with closing(sqlite3.connect(path)) as made, made:
            made.execute("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            made.execute("INSERT INTO t VALUES (?)", (number,))
    monkeypatch.setattr(sqlite, "LOCKED_SECONDS", 0.3)
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BackupRefused, match="keeps the database locked"):
            sqlite.load(source, [], {})
        other.execute("ROLLBACK")
        assert other.execute("SELECT id FROM t").fetchall() == [(2,)]
        sqlite.load(source, [], {"t": 7})
        assert other.execute("SELECT id FROM t").fetchall() == [(1,)]
        assert other.execute("INSERT INTO t DEFAULT VALUES RETURNING id").fetchall() == [(8,)]


def test_a_file_that_is_not_a_database_is_neither_loaded_nor_copied(tmp_path, database):
    database.write_bytes(DATABASE)
    with pytest.raises(BackupRefused, match="SQLite could not make the copy: file is not a database"):
        sqlite.snapshot(tmp_path / "copy", {}, "SELECT 1")
    source = database.rename(tmp_path / "source")
    with pytest.raises(BackupRefused, match="SQLite refused the backup, and nothing was changed"):
        sqlite.load(source, [], {})
