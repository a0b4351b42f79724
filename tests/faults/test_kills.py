"""A worker that is killed again and again leaves the same runs as one that is not."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import need
from tests.faults.site import Site
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

KILLS = 10
BETWEEN_KILLS = 0.6
CALL_SECONDS = 0.02
PERIODS = 100
ENVIRONMENTS = ["procurement", "scheduling", "pricing"]

TEAM = {"DATABASE_URL": os.environ.get("TEST_DATABASE_URL", ""), "REDIS_URL": os.environ.get("TEST_REDIS_URL", "")}


def launch_words(stub: StubProvider, *more: str) -> list[str]:
    agents = [f"openai-compatible:house@{stub.base_url('openai')}", f"anthropic:house@{stub.base_url('anthropic')}"]
    words = ["--environment", *ENVIRONMENTS, "--difficulty", "BASIC", "--seeds", "0", "--agent", *agents]
    return [*words, "--api-key-env", "STUB_KEY", *more]


@pytest.fixture
def stub():
    with StubProvider(ScriptedPlayer(delay=CALL_SECONDS)) as stub:
        yield stub


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    site = Site(tmp_path_factory.mktemp("calm"), STUB_KEY="sk-stub-0123456789")
    with StubProvider(ScriptedPlayer()) as stub:
        return site.export(site.launch(*launch_words(stub, "--wait"))["experiment"])


def comparable(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without row numbers, and with the anthropic and the compatible agent told apart by provider only."""
    left_out = {"experiment", "run", "agent"}
    return [{key: value for key, value in record.items() if key not in left_out} for record in records]


@pytest.mark.parametrize("services", ["embedded", "team"])
def test_ten_kills_lose_nothing_and_repeat_nothing(services, stub, undisturbed, tmp_path: Path):
    if services == "team":
        need("PostgreSQL (TEST_DATABASE_URL) and Redis (TEST_REDIS_URL)", all(TEAM.values()))
    site = Site(tmp_path, STUB_KEY="sk-stub-0123456789", **(TEAM if services == "team" else {}))
    site.run("migrate", "--verbosity", "0")
    experiment = site.launch(*launch_words(stub))["experiment"]
    try:
        site.start_worker()
        for _ in range(KILLS):
            wait_for_calls(stub, site)
            time.sleep(BETWEEN_KILLS)
            site.kill_worker()
            site.start_worker()
        records = wait_until_finished(site, experiment)
    finally:
        site.kill_worker()
    assert comparable(records) == comparable(undisturbed)
    by_run: dict[int, list[int]] = {}
    for record in records:
        by_run.setdefault(record["run"], []).append(record["period"])
    for run, periods in by_run.items():
        environment = next(r["environment"] for r in records if r["run"] == run)
        assert periods == list(range(len(periods))), run
        assert len(periods) == PERIODS or environment == "scheduling"
    queries = sum(record["queries"] for record in records)
    repeats = stub.count - queries
    assert 0 <= repeats <= KILLS * len(by_run)


def wait_for_calls(stub: StubProvider, site: Site) -> None:
    """Until the worker plays, so that the kill comes in the middle."""
    before, deadline = stub.count, time.monotonic() + 60
    while stub.count < before + 3:
        assert time.monotonic() < deadline, site.log()
        time.sleep(0.05)


def wait_until_finished(site: Site, experiment: int) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 180
    while True:
        records = site.export(experiment)
        if all(record["state"] == "finished" for record in records):
            return records
        assert time.monotonic() < deadline, site.log()
        time.sleep(1)
