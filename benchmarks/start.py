"""Measures the first start of a new clone, with empty package caches, and the second start.

    python3 -m benchmarks start

Clones the last commit, runs bin/up there, and prints the seconds of each step as bin/up reports them. It also prints the
seconds from the start to the log-in page, and to the end of the demo's benchmarks. Needs only Python and Git. A loop of
additions shows how fast the machine is at that time: it usually takes 0.25 s.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.harness import ROOT

PATIENCE_SECONDS = 900
OWN = {"DATABASE_URL", "REDIS_URL", "ECONEVALS_DATA_DIR", "ECONEVALS_VENV", "PYTHONDONTWRITEBYTECODE"}
STEP = re.compile(r"^(\w.*?) \.\.\. (?:.*\n)*?([0-9.]+) s$", re.MULTILINE)
"""Pattern for a step and its seconds in the output of bin/up. Warnings may be between them."""

LEFT = """
    SELECT COUNT(*) FROM runs_run WHERE experiment_id = (SELECT MIN(id) FROM runs_experiment) AND state <> 'finished'
"""
"""Query for the number of benchmark runs that are not finished. They are the first experiment of the demo."""


def main() -> None:
    print(f"{loop_seconds():5.2f} s  3,000,000 additions (0.25 s are usual)")
    with tempfile.TemporaryDirectory(prefix="econevals-start.", ignore_cleanup_errors=True) as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        caches = {"PIP_NO_CACHE_DIR": "1", "UV_CACHE_DIR": str(Path(folder, "uv"))}
        start("First start", clone, caches, until_played=True)
        start("Second start", clone, caches)
    print(f"{loop_seconds():5.2f} s  3,000,000 additions")


def loop_seconds() -> float:
    """Return the seconds of the loop. It is at module level, where Python is half as fast as in a function."""
    started = time.perf_counter()
    exec("s = 0\nfor i in range(3_000_000): s += i", {})
    return time.perf_counter() - started


def start(title: str, clone: Path, caches: dict[str, str], until_played: bool = False) -> None:
    print(title)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = {name: value for name, value in os.environ.items() if name not in OWN} | caches | {"PORT": str(port)}
    log = clone / "up.log"
    started = time.monotonic()

    def report(part: str, happened: Callable[[], bool]) -> None:
        while not happened():
            if site.poll() is not None or time.monotonic() > started + PATIENCE_SECONDS:
                raise SystemExit(log.read_text())
            time.sleep(0.1)
        print(f"{time.monotonic() - started:5.1f} s  {part}, since the start")

    with log.open("wb") as out:
        site = subprocess.Popen(["bin/up"], cwd=clone, env=variables, stdout=out, stderr=out)
    try:
        report("log-in page", lambda: answers(f"http://127.0.0.1:{port}/login/"))
        for step, seconds in STEP.findall(log.read_text()):
            print(f"{seconds:>5} s    {step}")
        if until_played:
            report("benchmarks played", lambda: is_played(clone / "data" / "econevals.sqlite3"))
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait()


def answers(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(address, timeout=60) as page:
        return bool(page.read())
    return False


def is_played(database: Path) -> bool:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(LEFT).fetchone() == (0,)
