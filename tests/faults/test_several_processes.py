"""A worker of several processes plays like one, starts again what dies, and leaves nobody behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.site import Site
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.long

CALL_SECONDS = 0.3


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[tuple[Site, StubProvider, int]]:
    """A site whose worker of two processes plays eight runs, and the number of their experiment."""
    with StubProvider(ScriptedPlayer(delay=CALL_SECONDS)) as stub:
        site = Site(tmp_path / "site", STUB_KEY="sk-stub-0123456789")
        site.run("migrate", "--verbosity", "0")
        agent = f"openai-compatible:house@{stub.base_url('openai')}"
        words = ["--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0-7", "--periods", "4"]
        experiment = site.launch(*words, "--agent", agent, "--api-key-env", "STUB_KEY")["experiment"]
        site.start_worker("--processes", "2")
        eventually(lambda: stub.count > 3, site)
        try:
            yield site, stub, experiment
        finally:
            started = processes(site)
            site.kill_worker()
            eventually(lambda: not any(is_alive(pid) for pid in started), site)


def eventually(true: Callable[[], bool], site: Site, every: float = 0.05) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, site.log()
        time.sleep(every)


def processes(site: Site) -> list[int]:
    """The workers' processes that the supervising one started; the broker is its child too."""
    assert site.worker is not None
    return [pid for pid in children(site.worker.pid) if b"--of" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def finished(site: Site, experiment: int) -> bool:
    return all(record["state"] == "finished" for record in site.export(experiment))


def test_both_processes_play_and_what_is_killed_is_started_again(playing):
    site, stub, experiment = playing
    first, second = processes(site)
    assert not children(first)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: len(set(processes(site)) - {first, second}) == 1, site)
    eventually(lambda: finished(site, experiment), site, every=2.0)
    records = site.export(experiment)
    assert [record["period"] for record in records] == 8 * list(range(4))
    assert 0 <= stub.count - sum(record["queries"] for record in records) <= 4


def test_sigterm_ends_all_of_them_without_repeating_a_call(playing):
    site, stub, experiment = playing
    started = processes(site)
    site.worker.send_signal(signal.SIGTERM)
    site.worker.wait(timeout=30)
    assert not any(is_alive(pid) for pid in started)
    site.start_worker("--processes", "2")
    eventually(lambda: finished(site, experiment), site, every=2.0)
    assert stub.count == sum(record["queries"] for record in site.export(experiment))


def test_they_leave_when_the_process_that_started_them_is_killed(playing):
    site, stub, _ = playing
    started = processes(site)
    os.kill(site.worker.pid, signal.SIGKILL)
    eventually(lambda: not any(is_alive(pid) for pid in started), site)
    sent = stub.count
    time.sleep(3 * CALL_SECONDS)
    assert stub.count == sent
