"""A site changes from the newest version with older tables to this one while runs are played: none is lost, none is asked
again, whether its old workers were stopped or play on beside the new tables."""

from __future__ import annotations

import os
import signal
import subprocess
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import need
from tests.faults.checker import Evidence, check
from tests.faults.companion import ROOT
from tests.faults.live import LiveSite
from tests.faults.matching import match, read_rows
from tests.faults.rig import CI, finish
from tests.faults.stages import Stage
from tests.faults.zygote import is_alive

pytestmark = pytest.mark.long

COMMITS = 500
"""Looked through from the newest one back."""

SERVER = os.environ.get("TEST_DATABASE_URL", "")


@pytest.fixture(scope="module")
def old_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest commit that lacks a migration of this one. A copy of the code without its history has none."""
    now = migrations_at("HEAD")
    commits = git("log", "--first-parent", "--format=%H", f"-{COMMITS}").decode().split()
    # A commit may hold a migration under another number, as it was on a branch, which contradicts one of the same number.
    older = next((commit for commit in commits if migrations_at(commit) < now), "")
    archive = git("archive", older) if older else b""
    if not archive:
        pytest.skip("The history of the code is not there.")
    folder = tmp_path_factory.mktemp("old")
    (folder / "code.tar").write_bytes(archive)
    with tarfile.open(folder / "code.tar") as tar:
        tar.extractall(folder / "code", filter="data")
    return folder / "code"


def migrations_at(commit: str) -> set[str]:
    files = git("ls-tree", "-r", "--name-only", commit).decode().split("\n")
    return {name for name in files if "/migrations/" in name}


def git(*words: str) -> bytes:
    """What git says; nothing where it, or what it was asked for, is not there."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True).stdout
    except FileNotFoundError:
        return b""


def stop(site: LiveSite) -> None:
    """SIGTERM to every worker, and wait until they are gone."""
    for pid in site.workers:
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 30
    while any(map(is_alive, site.workers)):
        assert time.monotonic() < deadline, site.standing()
        time.sleep(0.05)
    site.workers.clear()


def upgraded(stage: Stage, old_code: Path, parting: str, expected: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Violations of the invariants by a site that was upgraded in the middle of some twenty runs."""
    site = LiveSite(stage, root=old_code)
    try:
        experiments = site.launch(CI.size) + site.launch(CI.size)
        for _ in range(2):
            site.start_worker()
        site.play_on(80)
        if parting == "stopped":
            stop(site)
        site.zygote.close()
        site.run_code_of(ROOT)
        site.zygote.call("migrate")
        if parting == "left":
            # What the new pages launch meets old workers.
            experiments += site.launch(CI.size)
            site.play_on(80)
            stop(site)
        site.start_worker()
        strikes = [finish(site, None)]
        bill = list(site.stub.bill)
        matched = match(read_rows(site.books), bill, clocks_agree=True)
        exported = site.zygote.call("export", experiments=experiments)
        return check(Evidence(site.books, matched, bill, strikes, exported, expected, resumed=site.resumed))
    finally:
        site.close()


@pytest.mark.parametrize("parting", ["stopped", "left"])
def test_runs_go_on_after_an_upgrade(parting, old_code, expected, tmp_path):
    found = upgraded(Stage.on_sqlite(tmp_path / "site"), old_code, parting, expected)
    assert not any(found.values()), found


def test_old_workers_play_on_beside_the_new_tables_on_postgres(old_code, expected, tmp_path):
    need("PostgreSQL (TEST_DATABASE_URL)", bool(SERVER))
    with Stage.on_postgres(tmp_path / "site", SERVER) as stage:
        found = upgraded(stage, old_code, "left", expected)
    assert not any(found.values()), found
