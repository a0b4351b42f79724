"""SIGKILL at any moment: every committed change is reported once, and no other change is."""

import json
from collections import Counter

import pytest

from tests.faults.site import END_AND_DIE, Site
from tests.workspace.webhooks.receiver import Respond

pytestmark = pytest.mark.long

SET_UP = """
from runs.bootstrap import ensure_organization
from workspace.webhooks.services import CHOICES, webhook_create
organization, _ = ensure_organization(allow_environment_keys=False)
owner = organization.memberships.get()
webhook_create(actor=owner, url={url!r}, events=[str(kind) for kind in CHOICES])
"""


DIE_BEFORE_THE_COMMIT = """
import os, signal
from runs.engine import lease
from runs.engine.advance import advance
from runs.models import Run
tell = lease.runs_stopped
def tell_and_die(run_ids):
    tell(run_ids)
    os.kill(os.getpid(), signal.SIGKILL)
lease.runs_stopped = tell_and_die
advance(Run.objects.get().pk)
"""


@pytest.fixture
def site(tmp_path, receiver):
    with Site(tmp_path / "site") as site:
        site.run("shell", "-c", SET_UP.format(url=receiver.url))
        yield site


def launch(site, seeds):
    site.launch("--periods", "3", "--agent", "random", "--seeds", seeds)


def test_an_event_committed_before_a_kill_is_delivered_by_the_next_worker(site, receiver):
    launch(site, "0")
    killed = site.run("shell", "-c", END_AND_DIE, check=False)
    assert killed.returncode == -9
    assert site.rows("SELECT state FROM runs_run") == [("finished",)] and receiver.got == []
    assert site.rows("SELECT state FROM runs_delivery") == [("waiting",)] * 2
    site.start_worker()
    site.wait_until(lambda: len(receiver.got) == 2)
    assert sorted(receiver.kinds) == ["experiment.finished", "run.finished"]


def test_a_kill_before_the_commit_reports_nothing_until_the_run_ends(site, receiver):
    launch(site, "0")
    assert site.run("shell", "-c", DIE_BEFORE_THE_COMMIT, check=False).returncode == -9
    assert site.rows("SELECT id FROM runs_event") == []
    site.start_worker()
    site.wait_until(lambda: len(receiver.got) == 2)
    assert Counter(receiver.kinds) == {"experiment.finished": 1, "run.finished": 1}


def test_killed_workers_lose_and_invent_no_messages(site, receiver):
    receiver.script = Respond(delay=0.2)
    launch(site, "0-19")
    for _ in range(4):
        site.start_worker()
        before = len(receiver.got)
        site.wait_until(lambda before=before: len(receiver.got) > before or is_over(site))
        site.kill_worker()
        # The claims of the killed worker expire.
        site.rows("UPDATE runs_delivery SET due_at = '2020-01-01 00:00:00' WHERE state = 'waiting'")
    site.start_worker()
    site.wait_until(lambda: is_over(site))
    sent = [json.loads(body)["type"] for (body,) in site.rows("SELECT body FROM runs_event")]
    assert Counter(sent) == {"run.finished": 20, "experiment.finished": 1}
    arrived = {got.json["id"]: got.json for got in receiver.got}
    assert Counter(message["type"] for message in arrived.values()) == {"run.finished": 20, "experiment.finished": 1}
    assert len({message["data"]["run"]["id"] for message in arrived.values() if "run" in message["data"]}) == 20


def is_over(site):
    going = site.rows("SELECT id FROM runs_run WHERE state <> 'finished'")
    return not going and not site.rows("SELECT id FROM runs_delivery WHERE state <> 'delivered'")
