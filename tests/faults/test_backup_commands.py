"""The commands backup and restore: their output, refusals and effects."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.data_folders import copy_of, new_site
from tests.faults.history import AS_AN_EARLIER_VERSION, WITHOUT_HEADERS
from tests.faults.stages import SHORT_TIMES, Stage
from tests.faults.zygote import Zygote, kill_group
from tests.waiting import patience, wait_until

pytestmark = pytest.mark.long

SET_UP = """
from accounts.services import endpoint_create
from runs.bootstrap import ensure_organization
organization, _ = ensure_organization(allow_environment_keys=False)
endpoint_create(organization=organization, name="House", provider="openai", key="sk-canary-0001-0001")
"""
READ_THE_KEY = """
from accounts.models import Endpoint
from accounts.services import endpoint_key
assert endpoint_key(Endpoint.objects.get(name="House")) == "sk-canary-0001-0001"
"""
SESSION = "INSERT INTO django_session VALUES ('of-somebody', '', '2099-01-01')"
RECORDED = "SELECT app, name FROM django_migrations ORDER BY app, name"
RUNS = "SELECT id FROM runs_run ORDER BY id"


class Commands:
    """Commands on a one-machine site in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.zygote = Zygote(folder, Stage.on_sqlite(folder).variables | SHORT_TIMES)
        self.says, self.refuses = self.zygote.command, self.zygote.refusal

    def play(self, seeds):
        words = ("--environment", "pricing", "--difficulty", "BASIC", "--periods", "3", "--agent", "random")
        self.says("launch", *words, "--seeds", seeds, "--wait", "--json")

    def rows(self, query):
        database = self.folder / "econevals.sqlite3"
        with closing(sqlite3.connect(database, timeout=patience(), isolation_level=None)) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    """A site with one finished experiment, a key and a session."""
    site = Commands(tmp_path_factory.mktemp("furnished") / "data")
    copy_of(new_site, site.folder)
    site.zygote.call("python", text=SET_UP)
    site.play("0-1")
    site.rows(SESSION)
    shutil.copytree(site.folder, site.folder.with_name("as made"))
    yield site
    site.zygote.close()


@pytest.fixture
def site(furnished):
    """That site as it was made."""
    shutil.rmtree(furnished.folder)
    shutil.copytree(furnished.folder.with_name("as made"), furnished.folder)
    return furnished


def test_a_backup_is_summarised_private_and_never_overwritten(site, tmp_path):
    said = site.says("backup", str(tmp_path / "one.zip"))
    assert "holds 1 organization, 1 experiment, 2 runs, 6 periods and" in said
    assert (tmp_path / "one.zip").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["one.zip"]
    assert "exists already" in site.refuses("backup", str(tmp_path / "one.zip"))
    assert "could not be written" in site.refuses("backup", str(tmp_path / "missing" / "one.zip"))
    said = site.says("backup")
    (path,) = (site.folder / "backups").glob("*.zip")
    assert said.startswith(str(path)) and (site.folder / "backups").stat().st_mode & 0o077 == 0


def test_a_restore_brings_back_the_backup_and_saves_the_current_state(site, tmp_path):
    file = str(tmp_path / "one.zip")
    site.says("backup", file)
    site.play("2")
    assert "Use --yes" in site.refuses("restore", file)
    assert site.rows(RUNS) == [(1,), (2,), (3,)]
    said = site.says("restore", file, "--yes")
    assert site.rows(RUNS) == [(1,), (2,)]
    assert site.rows("SELECT * FROM django_session") == [], "somebody is still logged in"
    (kept,) = (site.folder / "backups").glob("before-restore-*.zip")
    assert str(kept) in said and "Everybody has to log in again." in said
    site.play("2")
    assert site.rows(RUNS) == [(1,), (2,), (4,)], "a number was given twice"
    site.says("restore", str(kept), "--yes")
    assert site.rows(RUNS) == [(1,), (2,), (3,)]


def test_a_site_moves_to_another_machine_with_its_secret(site, tmp_path):
    site.says("backup", str(tmp_path / "one.zip"))
    other = Commands(tmp_path / "other")
    try:
        said = other.says("restore", str(tmp_path / "one.zip"), "--yes")
        assert "of the stored keys cannot be read" in said and "The state before" not in said
        assert other.zygote.call("export", experiments=[1]) == site.zygote.call("export", experiments=[1])
        shutil.copy(site.folder / "secret_key", other.folder / "secret_key")
        other.zygote.close()
        other = Commands(tmp_path / "other")
        other.zygote.call("python", text=READ_THE_KEY)
    finally:
        other.zygote.close()


def test_a_backup_of_an_earlier_version_is_migrated(site, tmp_path):
    recorded = site.rows(RECORDED)
    for statement in (*WITHOUT_HEADERS, AS_AN_EARLIER_VERSION):
        site.rows(statement)
    site.says("backup", str(tmp_path / "early.zip"))
    site.says("restore", str(tmp_path / "early.zip"), "--yes")
    assert site.rows(RECORDED) == recorded


def test_a_restore_is_refused_while_a_worker_runs(site, tmp_path):
    site.says("backup", str(tmp_path / "one.zip"))
    worker = site.zygote.fork("work")
    try:
        restore = ["restore", str(tmp_path / "one.zip"), "--yes"]
        refused = lambda: next((err for code, _, err in [site.zygote.call("command", words=restore)] if code == 2), "")  # noqa: E731
        err = wait_until(refused, site.zygote.tail)
        assert "A worker is running, or was in the last 3 seconds." in err
    finally:
        kill_group(worker)
