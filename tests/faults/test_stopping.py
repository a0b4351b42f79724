"""A worker that is asked to stop finishes the calls in flight and leaves the rest to the next one."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.faults.site import Site
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.long

CALL_SECONDS = 0.3
STOP_SECONDS = 20


def test_sigterm_repeats_no_call_and_loses_no_period(tmp_path: Path):
    with StubProvider(ScriptedPlayer(delay=CALL_SECONDS)) as stub:
        site = Site(tmp_path / "site", STUB_KEY="sk-stub-0123456789")
        site.run("migrate", "--verbosity", "0")
        agent = f"openai-compatible:house@{stub.base_url('openai')}"
        words = ["--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0-3", "--periods", "8"]
        experiment = site.launch(*words, "--agent", agent, "--api-key-env", "STUB_KEY")["experiment"]
        try:
            for _ in range(2):
                site.start_worker()
                wait_for_calls(stub, site)
                assert site.worker is not None
                site.worker.send_signal(signal.SIGTERM)
                started = time.monotonic()
                site.worker.wait(timeout=STOP_SECONDS)
                assert time.monotonic() - started < STOP_SECONDS
                sent = stub.count
                time.sleep(2 * CALL_SECONDS)
                assert stub.count == sent
            site.start_worker()
            deadline = time.monotonic() + 90
            while any(record["state"] != "finished" for record in site.export(experiment)):
                assert time.monotonic() < deadline, site.log()
                time.sleep(0.5)
        finally:
            site.kill_worker()
        records = site.export(experiment)
    assert [record["period"] for record in records] == 4 * list(range(8))
    assert stub.count == sum(record["queries"] for record in records)


def wait_for_calls(stub: StubProvider, site: Site) -> None:
    """Until the worker plays, so that the kill comes in the middle."""
    before, deadline = stub.count, time.monotonic() + 60
    while stub.count < before + 3:
        assert time.monotonic() < deadline, site.log()
        time.sleep(0.05)
