"""SIGKILL to workers around the looks of a staged comparison: one answer, no lost and no superfluous runs."""

from contextlib import closing

import pytest

from tests.faults.live import LiveSite
from tests.faults.stages import Stage
from tests.processes import is_alive
from tests.waiting import wait_until

pytestmark = pytest.mark.long

LAUNCH = (
    *("launch", "--environment", "pricing", "--difficulty", "BASIC", "--periods", "4", "--seeds", "0-11"),
    *("--agent", "random", "pricing-constant", "--stages", "4", "8", "12", "--json"),
)
BEFORE, WITHIN = "runs.stages.services:look_take", "stats.designs.sequential:look"
PLACES = [
    # Where the worker is killed, then the looks that are stored and the runs by state.
    (BEFORE, [], {"finished": 8, "paused": 16}),
    (WITHIN, [], {"finished": 8, "paused": 16}),
    ("runs.stages.services:stage_resume", [], {"finished": 8, "paused": 16}),
    ("runs.services.control:wake", [1], {"finished": 8, "paused": 8, "queued": 8}),
    (BEFORE, [1], {"finished": 16, "paused": 8}),
    (WITHIN, [1], {"finished": 16, "paused": 8}),
    ("runs.stages.services:stages_cancel", [1], {"finished": 16, "paused": 8}),
    ("runs.engine.requests:runs_stopped", [1], {"finished": 16, "paused": 8}),
]
"""The first look releases the runs of stage 2, the second one decides. A look and what follows are one transaction."""

STATES = "SELECT state, COUNT(*) AS runs FROM runs_run GROUP BY state"
LOOKS = "SELECT stage, n, difference, p, boundary FROM stages_stagelook ORDER BY stage"
ENDED = "SELECT stage, state, saved_runs FROM stages_stagedcomparison"
NEEDLESS = """
    SELECT COUNT(*) AS runs FROM runs_run JOIN runs_instance ON runs_instance.id = runs_run.instance_id
    WHERE seed >= 8 AND (periods_played > 0 OR runs_run.state <> 'cancelled' OR pause_cause <> 'stage')
"""
PERIODS = "SELECT COUNT(*) AS periods FROM runs_period"


@pytest.fixture(scope="module")
def undisturbed_looks(tmp_path_factory):
    """The looks of the same comparison on a site without kills."""
    stage = Stage.on_sqlite(tmp_path_factory.mktemp("calm"))
    with closing(LiveSite(stage)) as site:
        site.zygote.command(*LAUNCH)
        site.start_worker()
        return end_of(site)


@pytest.fixture
def kill_everywhere(undisturbed_looks):
    def kill_everywhere(stage):
        with closing(LiveSite(stage)) as site:
            site.zygote.command(*LAUNCH)
            for place, looks, states in PLACES:
                kill_at(site, place)
                assert [row["stage"] for row in site.books.rows(LOOKS)] == looks, place
                assert states_of(site) == states, place
            # Two at once, so that they also compete for the last look.
            site.start_worker()
            site.start_worker()
            assert end_of(site) == undisturbed_looks

    return kill_everywhere


def kill_at(site, place):
    pid = site.zygote.fork("work_and_die", at=place)
    site.remains.append(pid)
    wait_until(lambda: not is_alive(pid), lambda: f"No worker gets to {place}: {site.standing()}", every=0.02)
    site.bury()


def states_of(site):
    return {row["state"]: row["runs"] for row in site.books.rows(STATES)}


def end_of(site):
    """The looks after all runs have ended; the comparison must have ended the same way after any kill."""
    wait_until(lambda: not site.unfinished(), site.standing, every=0.05)
    assert states_of(site) == {"finished": 16, "cancelled": 8}
    assert site.books.rows(ENDED) == [{"stage": 2, "state": "different", "saved_runs": 8}]
    assert site.books.one(NEEDLESS) == 0 and site.books.one(PERIODS) == 16 * 4
    return site.books.rows(LOOKS)


def test_kills_around_the_looks_change_nothing(sqlite_stage, kill_everywhere):
    kill_everywhere(sqlite_stage)


def test_kills_around_the_looks_change_nothing_on_postgres(postgres_stage, kill_everywhere):
    kill_everywhere(postgres_stage)
