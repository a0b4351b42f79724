"""A restored site continues from the backup and repeats only later calls."""

import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from tests.conftest import need
from tests.faults.checker import database_is_sound, each_period_once, exports_are_identical, gathered
from tests.faults.ledger import nothing_stays_reserved
from tests.faults.live import LiveSite
from tests.faults.rig import CI, finish
from tests.faults.stages import LEASE_SECONDS, SWEEP_SECONDS, postgres_programs
from tests.faults.zygote import kill_group

pytestmark = pytest.mark.long

PLAYED = "SELECT COUNT(*) AS n FROM runs_period"
LAST_CALL = "SELECT COALESCE(MAX(id), 0) AS n FROM runs_exchange"
LAST_RUN = "SELECT COALESCE(MAX(id), 0) AS n FROM runs_run"


@pytest.fixture(params=["sqlite", "postgres"])
def site(request):
    if request.param == "postgres":
        need("pg_dump", postgres_programs() is not None)
    stage = request.getfixturevalue(f"{request.param}_stage")
    with closing(LiveSite(stage)) as site:
        yield site


def stop_while_it_waits_for_a_model(site, pid):
    """SIGSTOP while the worker holds no database lock, because a stopped worker would keep it."""
    for _ in range(100):
        os.killpg(pid, signal.SIGSTOP)
        time.sleep(0.05)
        if not holds_locks(site):
            return
        os.killpg(pid, signal.SIGCONT)
        time.sleep(0.05)
    raise AssertionError("The worker never rests.")


def holds_locks(site):
    if not site.books.is_sqlite:
        others = "datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        query = f"SELECT COUNT(*) AS n FROM pg_stat_activity WHERE xact_start IS NOT NULL AND {others}"
        return bool(site.books.one(query))
    with closing(sqlite3.connect(site.books.database, timeout=0.2, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False


def test_a_restored_site_repeats_only_calls_made_after_the_backup(site, expected, tmp_path):
    file = str(tmp_path / "backup.zip")
    experiments = site.launch(CI.size)
    for _ in range(2):
        site.start_worker()
    site.play_on(60)
    billed_before = site.stub.count
    site.zygote.command("backup", file)
    site.play_on(40)
    forgotten = site.launch(CI.size)
    site.play_on(40)

    # One worker is gone at the restore, the other sleeps through it and goes on afterwards.
    sleeper, other = site.workers
    site.kill_worker(other, group=True)
    stop_while_it_waits_for_a_model(site, sleeper)
    last_call, last_run = site.books.one(LAST_CALL), site.books.one(LAST_RUN)
    time.sleep(LEASE_SECONDS + 3 * SWEEP_SECONDS)
    site.books.close()
    site.zygote.command("restore", file, "--yes")
    restored_call = site.books.one(LAST_CALL)
    assert restored_call < last_call and site.books.one(LAST_RUN) < last_run
    os.killpg(sleeper, signal.SIGCONT)
    experiments += site.launch(CI.size)
    assert min(experiments[len(forgotten) :]) > max(forgotten), "numbers of experiments are given twice"
    site.start_worker()
    evidence = gathered(site, [finish(site, None)], experiments, expected)
    matched = evidence.matched
    assert each_period_once(evidence) == exports_are_identical(evidence) == []
    assert database_is_sound(site.books) == nothing_stays_reserved(site.books) == []
    assert (matched.unknown_serials, matched.twice) == ([], [])
    missing = [line for line in matched.strangers if line.serial < billed_before]
    assert missing == [], "a call before the backup is missing"
    assert not [row for row in matched.rows if restored_call < row.id <= last_call], "numbers of calls are given twice"


def test_a_killed_restore_changes_everything_or_nothing(site, tmp_path):
    early, late = str(tmp_path / "early.zip"), str(tmp_path / "late.zip")
    states = {}
    for file in (early, late):
        site.zygote.call("play", experiments=site.launch(CI.size))
        site.zygote.command("backup", file)
        states[file] = site.books.one(PLAYED)
    assert 0 < states[early] < states[late]
    started = time.monotonic()
    site.zygote.command("restore", early, "--yes")
    seconds = time.monotonic() - started
    assert site.books.one(PLAYED) == states[early]
    wanted, outcomes = late, []
    for sixth in range(1, 7):
        before = site.books.one(PLAYED)
        pid = site.zygote.fork("command", words=["restore", wanted, "--yes"])
        time.sleep(seconds * sixth / 6)
        kill_group(pid)
        site.books.close()
        now = site.books.one(PLAYED)
        assert now in (before, states[wanted])
        assert database_is_sound(site.books) == []
        outcomes.append(now == states[wanted])
        wanted = early if now == states[late] else late
    assert not all(outcomes), "no restore was killed"
