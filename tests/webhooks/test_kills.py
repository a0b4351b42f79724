"""kill -9 at any moment: every committed change is reported once, and no other change is."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.site import Site
from tests.webhooks.receiver import Receiver, Respond

pytestmark = pytest.mark.long

SET_UP = """
from runs.bootstrap import ensure_organization
from webhooks.services import CHOICES, webhook_create
organization, _ = ensure_organization(allow_environment_keys=False)
owner = organization.memberships.get()
webhook_create(actor=owner, url={url!r}, events=[str(kind) for kind in CHOICES])
"""

END_AND_DIE = """
import os, signal
from runs.engine.advance import advance
from runs.models import Run
advance(Run.objects.get().pk)
os.kill(os.getpid(), signal.SIGKILL)
"""

DIE_BEFORE_THE_COMMIT = """
import os, signal
from runs.engine import lease
from runs.engine.advance import advance
from runs.models import Run
tell = lease.emit_runs_stopped
def tell_and_die(run_ids):
    tell(run_ids)
    os.kill(os.getpid(), signal.SIGKILL)
lease.emit_runs_stopped = tell_and_die
advance(Run.objects.get().pk)
"""


@pytest.fixture
def site(tmp_path: Path, receiver: Receiver) -> Any:
    site = Site(tmp_path / "site")
    site.run("migrate", "--verbosity", "0")
    site.run("shell", "-c", SET_UP.format(url=receiver.url))
    yield site
    site.kill_worker()


def rows(site: Site, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(site.folder / "econevals.sqlite3", timeout=30) as database:
        return database.execute(query).fetchall()


def eventually(true: Callable[[], bool], site: Site, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, site.log()
        time.sleep(0.1)


def launch(site: Site, seeds: str) -> None:
    words = ("--environment", "pricing", "--difficulty", "BASIC", "--periods", "3", "--agent", "random")
    site.run("launch", *words, "--seeds", seeds)


def test_what_was_committed_before_a_kill_is_delivered_by_the_next_worker(site, receiver):
    launch(site, "0")
    killed = site.run("shell", "-c", END_AND_DIE, check=False)
    assert killed.returncode == -9
    assert rows(site, "SELECT state FROM runs_run") == [("finished",)] and receiver.got == []
    assert rows(site, "SELECT state FROM runs_delivery") == [("waiting",)] * 2
    site.start_worker()
    eventually(lambda: len(receiver.got) == 2, site)
    assert sorted(receiver.kinds) == ["experiment.finished", "run.finished"]


def test_a_kill_before_the_commit_reports_nothing_and_the_run_is_reported_when_it_ends(site, receiver):
    launch(site, "0")
    assert site.run("shell", "-c", DIE_BEFORE_THE_COMMIT, check=False).returncode == -9
    assert rows(site, "SELECT id FROM runs_event") == []
    site.start_worker()
    eventually(lambda: len(receiver.got) == 2, site)
    assert Counter(receiver.kinds) == {"experiment.finished": 1, "run.finished": 1}


def test_workers_that_are_killed_while_they_play_and_send_lose_no_message_and_make_none_up(site, receiver):
    receiver.script = Respond(delay=0.2)
    launch(site, "0-19")
    for _ in range(4):
        site.start_worker()
        before = len(receiver.got)
        eventually(lambda before=before: len(receiver.got) > before or is_over(site), site)
        site.kill_worker()
        # The claims of the killed worker expire.
        with sqlite3.connect(site.folder / "econevals.sqlite3", timeout=30) as database:
            database.execute("UPDATE runs_delivery SET due_at = '2020-01-01 00:00:00' WHERE state = 'waiting'")
    site.start_worker()
    eventually(lambda: is_over(site), site)
    sent = [json.loads(body)["type"] for (body,) in rows(site, "SELECT body FROM runs_event")]
    assert Counter(sent) == {"run.finished": 20, "experiment.finished": 1}
    arrived = {got.json["id"]: got.json for got in receiver.got}
    assert Counter(message["type"] for message in arrived.values()) == {"run.finished": 20, "experiment.finished": 1}
    assert len({message["data"]["run"]["id"] for message in arrived.values() if "run" in message["data"]}) == 20


def is_over(site: Site) -> bool:
    going = rows(site, "SELECT id FROM runs_run WHERE state <> 'finished'")
    return not going and not rows(site, "SELECT id FROM runs_delivery WHERE state <> 'delivered'")
