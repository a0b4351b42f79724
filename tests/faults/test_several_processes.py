"""A stopped worker finishes its calls in flight. A worker of several processes restarts dead ones and leaves none."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.faults.site import Site
from tests.processes import children, is_alive
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from tests.waiting import patience

pytestmark = pytest.mark.long

CALL_SECONDS = 0.3


@pytest.fixture
def stub():
    with StubProvider(ScriptedPlayer(delay=CALL_SECONDS)) as stub:
        yield stub


@pytest.fixture
def launched(stub, tmp_path):
    """A site and the number of its experiment, whose runs have not started."""
    with Site(tmp_path / "site", STUB_KEY="sk-stub-0123456789") as site:
        agent = f"openai-compatible:house@{stub.base_url('openai')}"
        words = ("--seeds", "0-7", "--periods", "4", "--agent", agent, "--api-key-env", "STUB_KEY")
        yield site, site.launch(*words)


@pytest.fixture
def playing(launched, stub):
    """That site with a worker of two processes in the middle of the runs."""
    site, experiment = launched
    site.start_worker("--processes", "2")
    site.wait_until(lambda: stub.count > 3)
    yield site, experiment
    started = processes(site)
    site.kill_worker()
    site.wait_until(lambda: not any(map(is_alive, started)))


def processes(site):
    """The workers' processes that the supervising one forked; the broker is its child too."""
    words = Path(f"/proc/{site.worker.pid}/cmdline").read_bytes()
    return [pid for pid in children(site.worker.pid) if Path(f"/proc/{pid}/cmdline").read_bytes() == words]


def stop(site):
    site.worker.send_signal(signal.SIGTERM)
    site.worker.wait(patience())


def play_to_the_end(site, experiment):
    site.wait_until(lambda: site.rows("SELECT DISTINCT state FROM runs_run") == [("finished",)])
    records = site.export(experiment)
    assert [record["period"] for record in records] == 8 * list(range(4))
    return sum(record["queries"] for record in records)


def test_sigterm_repeats_no_call_and_loses_no_period(launched, stub):
    site, experiment = launched
    for _ in range(2):
        site.start_worker()
        before = stub.count
        site.wait_until(lambda before=before: stub.count >= before + 3)
        stop(site)
        sent = stub.count
        time.sleep(2 * CALL_SECONDS)
        assert stub.count == sent
    site.start_worker()
    assert play_to_the_end(site, experiment) == stub.count


def test_both_processes_play_and_a_killed_process_is_restarted(playing, stub):
    site, experiment = playing
    first, second = processes(site)
    assert not children(first)
    os.kill(first, signal.SIGKILL)
    site.wait_until(lambda: len(set(processes(site)) - {first, second}) == 1)
    queries = play_to_the_end(site, experiment)
    assert 0 <= stub.count - queries <= 4


def test_sigterm_ends_all_processes_and_repeats_no_call(playing, stub):
    site, experiment = playing
    started = processes(site)
    stop(site)
    assert not any(map(is_alive, started))
    site.start_worker("--processes", "2")
    assert play_to_the_end(site, experiment) == stub.count


def test_processes_exit_when_their_parent_is_killed(playing, stub):
    site, _ = playing
    started = processes(site)
    os.kill(site.worker.pid, signal.SIGKILL)
    site.wait_until(lambda: not any(map(is_alive, started)))
    sent = stub.count
    time.sleep(3 * CALL_SECONDS)
    assert stub.count == sent
