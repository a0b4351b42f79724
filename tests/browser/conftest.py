"""A real site as bin/up runs it, a model endpoint beside it, and Chromium."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import need
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
START_SECONDS = 120


@dataclass(frozen=True)
class RunningSite:
    address: str
    user: str
    password: str
    folder: Path


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    need("Chromium", bool(CHROMIUM))
    folder = tmp_path_factory.mktemp("site")
    port = free_port()
    variables = os.environ | {"ECONEVALS_DATA_DIR": str(folder), "PORT": str(port), "ECONEVALS_LEASE_SECONDS": "5"}
    with (folder / "up.log").open("wb") as log:
        up = subprocess.Popen([sys.executable, "manage.py", "up"], cwd=ROOT, env=variables, stdout=log, stderr=log)
    try:
        printed = wait_for_greeting(folder / "up.log", up)
        password = re.search(r"password\s+(\S+)", printed)
        assert password, printed
        yield RunningSite(f"http://127.0.0.1:{port}", "owner", password[1], folder)
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_greeting(path: Path, up: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_SECONDS
    while "Press Ctrl-C" not in path.read_text():
        assert up.poll() is None and time.monotonic() < deadline, path.read_text()[-3000:]
        time.sleep(0.2)
    return path.read_text()


@pytest.fixture(scope="session")
def stub() -> Iterator[StubProvider]:
    player = ScriptedPlayer(delay=0.02)

    def answer(wire: str, body: dict[str, Any], headers: Any) -> StubAnswer:
        if "report_sum" in str(body["tools"]):
            return StubAnswer(calls=(("report_sum", {"sum": 42}),))
        return player(wire, body, headers)

    with StubProvider(answer) as stub:
        yield stub


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    return {"executable_path": CHROMIUM, "args": ["--no-sandbox", "--disable-gpu", *quiet]}


@pytest.fixture
def complaints() -> list[str]:
    """Console errors, policy violations and failed requests of a test's pages; a test ends with none."""
    return []


@pytest.fixture
def page(site: RunningSite, context: Any, complaints: list[str]) -> Iterator[Any]:
    """A page of somebody who has signed in."""
    page = context.new_page()
    page.on("console", lambda m: complaints.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "requestfailed", lambda r: complaints.append(f"{r.url} {r.failure}") if "ERR_ABORTED" not in r.failure else None
    )
    page.goto(f"{site.address}/login/")
    page.locator("input[name=username]").fill(site.user)
    page.locator("input[name=password]").fill(site.password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Home").wait_for()
    yield page
    assert not complaints
