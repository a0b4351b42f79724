"""An upgrade from the newest version with older tables during play: no run is lost and no call is repeated.

The old workers are stopped, or continue beside the new tables."""

import os
import signal
from contextlib import closing

import pytest

from tests.data_folders import ROOT
from tests.faults.checker import check, gathered
from tests.faults.history import code_of, commits, migrations_at, replaced_files
from tests.faults.live import LiveSite
from tests.faults.rig import CI, finish
from tests.processes import is_alive
from tests.waiting import wait_until

pytestmark = pytest.mark.long

COMMITS = 500  # Looked through from the newest one back.


@pytest.fixture(scope="module")
def old_code(tmp_path_factory):
    """The newest commit that lacks a migration of this one."""
    now = migrations_at("HEAD")
    # A commit may hold a migration under another number, as it was on a branch, which contradicts one of the same number.
    known = now | replaced_files()
    older = (
        commit for commit in commits(f"-{COMMITS}") if (then := migrations_at(commit)) <= known and not now <= then
    )
    return code_of(next(older, ""), tmp_path_factory.mktemp("old") / "code")


def stop(site):
    """SIGTERM to every worker, and wait until they are gone."""
    for pid in site.workers:
        os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not any(map(is_alive, site.workers)), site.standing)
    site.workers.clear()


def upgraded(stage, old_code, parting, expected):
    """Violations of the invariants by a site that was upgraded in the middle of some twenty runs."""
    with closing(LiveSite(stage, root=old_code)) as site:
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
        return check(gathered(site, [finish(site, None)], experiments, expected))


@pytest.mark.parametrize(("stage", "parting"), [("sqlite", "stopped"), ("sqlite", "left"), ("postgres", "left")])
def test_runs_continue_after_an_upgrade(request, stage, parting, old_code, expected):
    found = upgraded(request.getfixturevalue(f"{stage}_stage"), old_code, parting, expected)
    assert not any(found.values()), found
