"""Memory of a site at rest: proportional set size of each process, in which shared pages count once.

    python benchmarks/memory.py

Starts a site from an empty data folder as bin/up does, opens one page, waits until the demo is played and nothing uses
the processor, and reads /proc/PID/smaps_rollup (Linux only). Then it does the same with the folder that is there.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.load_processes import ROOT, cpu_seconds, kilobytes, tree  # noqa: E402

LIMIT_MB = 300
LOOK_SECONDS = 5.0
CALM = 0.05
"""The site is at rest when it uses less than this part of one core between two looks."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="econevals-memory.", ignore_cleanup_errors=True) as folder:
        for state in ("empty data folder", "second start"):
            measure(state, folder)


def measure(state: str, folder: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    variables = {name: value for name, value in os.environ.items() if name not in own}
    variables |= {"ECONEVALS_DATA_DIR": folder, "PORT": str(port), "LOG_LEVEL": "WARNING"}
    started = time.monotonic()
    command = [sys.executable, "manage.py", "up", "--json"]
    site = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)
    try:
        assert site.stdout is not None
        address = json.loads("".join(iter(site.stdout.readline, "}\n")) + "}")["address"]
        with urllib.request.urlopen(f"{address}/login/", timeout=60) as answer:
            answer.read()
        print(f"{state}: a page after {time.monotonic() - started:.1f} s")
        report(at_rest(site.pid))
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait()


def at_rest(pid: int) -> dict[int, int]:
    """Kilobytes by process, once the site is at rest."""
    before = 0.0
    while (used := sum(map(cpu_seconds, tree(pid)))) - before > CALM * LOOK_SECONDS:
        before = used
        time.sleep(LOOK_SECONDS)
    return {member: kilobytes(member, "smaps_rollup", "Pss") for member in tree(pid)}


def report(kilobytes_by_pid: dict[int, int]) -> None:
    for pid, pss in kilobytes_by_pid.items():
        arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        print(f"{pss / 1000:>8.0f} MB  {' '.join(Path(argument).name for argument in arguments if argument)[:80]}")
    print(f"{sum(kilobytes_by_pid.values()) / 1000:>8.0f} MB  in sum; the limit is {LIMIT_MB} MB")


if __name__ == "__main__":
    main()
