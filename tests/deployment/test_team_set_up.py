"""The services of docker-compose.yml behind nginx and HTTPS: log-ins, killed workers, restored backups."""

import re
import shutil
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from requests import HTTPError

from tests.conftest import need
from tests.deployment.containers import FRESH_UID, IS_ROOT
from tests.deployment.team import HOST, NGINX, Browser, TeamSetUp
from tests.faults.history import AS_AN_EARLIER_VERSION, WITHOUT_HEADERS
from tests.faults.stages import postgres_programs
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from tests.waiting import wait_until

pytestmark = pytest.mark.long

RUNS, PERIODS = 6, 4
RESULTS = "SELECT id, state, score FROM runs_run ORDER BY id"
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY app, name"
UNFINISHED = "SELECT count(*) FROM runs_run WHERE state <> 'finished'"


@pytest.fixture(scope="module")
def team():
    need("PostgreSQL", bool(postgres_programs()))
    need("Redis", bool(shutil.which("redis-server")))
    need("nginx", bool(NGINX))
    team = TeamSetUp(ECONEVALS_LEASE_SECONDS="3", ECONEVALS_SWEEP_SECONDS="1", ECONEVALS_ALLOW_PRIVATE_ENDPOINTS="1")
    try:
        team.start_services()
        team.start_nginx()
        team.start()
        yield team
    finally:
        team.close()


@pytest.fixture(scope="module")
def password(team):
    """Of the owner, by the command that docs/settings.md names."""
    (found,) = re.findall(r"password\s+(\S+)", team.containers["web"].run("python", "manage.py", "owner").stdout)
    return found


@pytest.fixture(scope="module")
def owner(team, password):
    """Who claims to come from elsewhere."""
    return signed_in(team, password)


def signed_in(team, password):
    browser = Browser(team, **{"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "http"})
    home = browser.fill("/login/", username="owner", password=password)
    assert home.url == f"https://{HOST}/" and "<h1>Home</h1>" in home.text
    return browser


def asked(team, query):
    with psycopg.connect(team.database_url) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else []


def until(team, query, wanted):
    last_words = lambda: "\n".join(c.last_words() for c in team.containers.values())  # noqa: E731
    wait_until(lambda: asked(team, query) == wanted, last_words, every=0.2)


def test_log_ins_use_secure_cookies_and_record_the_client_address(team, owner):
    assert {"__Host-sessionid", "__Host-csrftoken"} == {cookie.name for cookie in owner.cookies if cookie.secure}
    assert asked(team, "SELECT DISTINCT host(ip) FROM usersessions_usersession") == [("127.0.0.1",)]


def test_runs_finish_though_a_worker_is_killed(team, owner):
    with StubProvider(ScriptedPlayer(delay=0.3)) as stub:
        house = {"name": "House", "provider": "openai-compatible", "base_url": stub.base_url("openai")}
        owner.fill("/agents/endpoints/new/", key="sk-0001", **house)
        ((endpoint,),) = asked(team, "SELECT id FROM accounts_endpoint WHERE name = 'House'")
        owner.fill("/agents/new/", name="House model", endpoint=endpoint, model="house-1")
        launch = {
            "environments": "pricing",
            "difficulties": "BASIC",
            "generator": "published",
            "seeds": f"0-{RUNS - 1}",
        }
        launch |= {"variants": "main", "periods": PERIODS, "reasoning_wording": "auto", "agents": "house-model"}
        address = owner.fill("/experiments/new/", **launch).url
        assert re.fullmatch(rf"https://{HOST}/experiments/\d+/", address), address
        until(team, f"SELECT count(*) >= {RUNS} FROM runs_exchange", [(True,)])
        team.containers["worker-1"].kill()
        assert not team.containers["worker-1"].is_healthy() or not IS_ROOT, "another worker answered for it"
        until(team, UNFINISHED, [(0,)])
    assert asked(team, "SELECT count(*) FROM runs_period") == [(RUNS * PERIODS,)]
    assert "Finished" in owner.get(address).text


def test_a_restored_backup_of_an_earlier_version_is_migrated_at_the_next_start(team, password):
    web = team.containers["web"]
    before, migrations = asked(team, RESULTS), asked(team, MIGRATIONS)
    (backup,) = re.findall(r"(\S+\.zip) \(", web.run("python", "manage.py", "backup").stdout)
    team.stop()
    asked(team, "TRUNCATE runs_run CASCADE")
    # The mark that a worker leaves with each sweep fades a few seconds after the last one.
    restored = lambda: web.run("python", "manage.py", "restore", backup, "--yes", check=False).returncode == 0  # noqa: E731
    wait_until(restored, lambda: "The backup is not restored.")
    assert asked(team, RESULTS) == before
    for statement in (*WITHOUT_HEADERS, AS_AN_EARLIER_VERSION):
        asked(team, statement)
    assert asked(team, MIGRATIONS) != migrations
    team.start("web", "worker-2", "scheduler")
    assert asked(team, MIGRATIONS) == migrations
    assert "<h1>" in signed_in(team, password).open("/leaderboard/").text


def test_containers_write_only_to_volumes_and_memory(team, owner):
    """Code and packages cannot be written to; other places that everybody can write to hold nothing of theirs."""
    places = [*Path("/tmp").iterdir(), *Path("/var/tmp").iterdir(), *Path("/dev/shm").iterdir()]
    if IS_ROOT:
        assert [path for path in places if path.lstat().st_uid == FRESH_UID] == []
    for name in ("web", "worker-2", "scheduler"):
        container = team.containers[name]
        assert container.run("sh", "-c", "touch manage.py new", check=False).returncode != 0
        closed = (path for path in container.data.rglob("*") if "static" not in path.parts)
        assert [path for path in closed if path.lstat().st_mode & 0o077] == []
    assert {path.name for path in team.containers["scheduler"].tmp.iterdir()} == {"beat.pid"}


def test_no_log_contains_an_invitation_link(team, owner):
    with suppress(HTTPError):
        owner.open("/invitations/an-invitation-of-somebody/")
    logs = [*team.folder.glob("*/log"), team.folder / "nginx" / "access"]
    assert len(logs) == 8
    assert [path for path in logs if "an-invitation-of-somebody" in path.read_text()] == []


def test_the_list_of_processes_shows_no_secret(team):
    shown = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # It may have ended already.
            shown += path.read_bytes()
    assert b"redis-server" in shown
    assert [name for name, secret in team.secrets.items() if secret.encode() in shown] == []
