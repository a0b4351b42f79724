"""The commands backup and restore on a site of its own: what they say, what they refuse, what they leave alone."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults.site import Site

SET_UP = """
from accounts.services import endpoint_create
from runs.bootstrap import ensure_organization
organization, _ = ensure_organization(allow_environment_keys=False)
endpoint_create(organization=organization, name="House", provider="openai", key="sk-canary-0001-0001")
"""
KEY = """
from accounts.models import Endpoint
from accounts.services import endpoint_key
print(endpoint_key(Endpoint.objects.get(name="House")))
"""
SESSION = "INSERT INTO django_session VALUES ('of-somebody', '', '2099-01-01')"


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a site with one finished experiment, a key and a session."""
    site = Site(tmp_path_factory.mktemp("furnished") / "data")
    site.run("migrate", "--verbosity", "0")
    site.run("shell", "-c", SET_UP)
    play(site, "0-1")
    rows(site, SESSION)
    return site.folder


@pytest.fixture
def site(furnished: Path, tmp_path: Path) -> Any:
    folder = tmp_path / "data"
    shutil.copytree(furnished, folder, ignore=shutil.ignore_patterns("*.sock"))
    site = Site(folder)
    yield site
    site.kill_worker()


@pytest.fixture
def backup(site: Site, tmp_path: Path) -> Path:
    path = tmp_path / "backup.zip"
    site.run("backup", str(path))
    return path


def play(site: Site, seeds: str) -> None:
    words = ("--environment", "pricing", "--difficulty", "BASIC", "--periods", "3", "--agent", "random")
    site.launch(*words, "--seeds", seeds, "--wait")


def rows(site: Site, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(site.folder / "econevals.sqlite3", timeout=30, isolation_level=None)) as database:
        return database.execute(query).fetchall()


def refusal(site: Site, *words: str) -> str:
    before = rows(site, "SELECT COUNT(*), MAX(fence) FROM runs_run")
    done = site.run(*words, check=False)
    assert done.returncode == 2, done.stdout
    assert rows(site, "SELECT COUNT(*), MAX(fence) FROM runs_run") == before
    return done.stderr.strip()


def test_a_backup_says_what_it_holds_and_is_for_its_owner_only(site, tmp_path):
    said = site.run("backup", str(tmp_path / "one.zip")).stdout
    assert "holds 1 organization, 1 experiment, 2 runs, 6 periods and" in said
    assert (tmp_path / "one.zip").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "one.zip"]


def test_a_backup_without_a_name_goes_to_the_data_folder_and_none_is_overwritten(site):
    said = site.run("backup").stdout
    (path,) = (site.folder / "backups").glob("*.zip")
    assert said.startswith(str(path)) and (site.folder / "backups").stat().st_mode & 0o077 == 0
    assert "exists already" in refusal(site, "backup", str(path))


def test_a_backup_that_cannot_be_written_says_so_and_leaves_nothing(site, tmp_path):
    assert "could not be written" in refusal(site, "backup", str(tmp_path / "missing" / "one.zip"))


def test_a_restore_brings_back_what_was_there_and_keeps_what_is(site, backup):
    play(site, "2")
    assert "Say --yes" in refusal(site, "restore", str(backup))
    said = site.run("restore", str(backup), "--yes").stdout
    assert rows(site, "SELECT COUNT(*) FROM runs_run") == [(2,)]
    assert rows(site, "SELECT * FROM django_session") == [], "somebody is still logged in"
    (kept,) = (site.folder / "backups").glob("before-restore-*.zip")
    assert str(kept) in said and "Everybody has to log in again." in said
    play(site, "2")
    assert rows(site, "SELECT id FROM runs_run ORDER BY id") == [(1,), (2,), (4,)], "a number was given twice"
    site.run("restore", str(kept), "--yes")
    assert rows(site, "SELECT id FROM runs_run ORDER BY id") == [(1,), (2,), (3,)]


def test_a_site_moves_to_another_machine_with_its_secret(site, backup, tmp_path):
    other = Site(tmp_path / "other")
    said = other.run("restore", str(backup), "--yes").stdout
    assert "of the stored keys cannot be read" in said and "What was there before" not in said
    assert other.export(1) == site.export(1)
    shutil.copy(site.folder / "secret_key", other.folder / "secret_key")
    assert other.run("shell", "-c", KEY).stdout.strip().endswith("sk-canary-0001-0001")


def test_a_backup_of_an_earlier_version_is_brought_up_to_date(site, tmp_path):
    early = Site(tmp_path / "early")
    early.run("migrate", "--verbosity", "0")
    early.run("migrate", "runs", "0007", "--verbosity", "0")
    early.run("backup", str(tmp_path / "early.zip"))
    site.run("restore", str(tmp_path / "early.zip"), "--yes")
    assert rows(site, "SELECT COUNT(*) FROM django_migrations WHERE app = 'runs' AND name LIKE '0008%'") == [(1,)]
    assert site.run("migrate", "--check").returncode == 0


def test_a_restore_is_refused_while_a_worker_runs(site, backup):
    site.start_worker()
    deadline = time.monotonic() + 30
    while "A worker is running" not in site.run("restore", str(backup), "--yes", check=False).stderr:
        assert time.monotonic() < deadline, site.log()
