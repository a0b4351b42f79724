"""Measures the memory of an idle site: the proportional set size (PSS) of each process. In its sum, shared pages count once.

    python -m benchmarks memory

Starts a site with an empty data folder as bin/up does, and opens one page. When the demo is played and the processes are
idle, it reads /proc/PID/smaps_rollup (Linux only). Then it does the same again with the data folder of the first start.
"""

import os
import tempfile
import time
from pathlib import Path

from benchmarks.harness import ROOT
from benchmarks.processes import cpu_seconds, kilobytes, tree
from tests.running_site import Browser, up

LOOK_SECONDS = 5.0
CALM = 0.05
"""The site counts as idle when it uses less than this share of one core for LOOK_SECONDS."""


def main() -> None:
    variables = {"DATABASE_URL": "", "REDIS_URL": "", "LOG_LEVEL": "WARNING"}
    with tempfile.TemporaryDirectory(prefix="econevals-memory.", ignore_cleanup_errors=True) as folder:
        for state in ("empty data folder", "second start"):
            started = time.monotonic()
            with up(Path(folder), ROOT, variables) as (address, _):
                assert Browser(address).open("/login/").ok
                print(f"{state}: a page after {time.monotonic() - started:.1f} s")
                print_memory_at_rest()


def print_memory_at_rest() -> None:
    """Wait until the child processes are idle, and print the megabytes of each."""
    before = 0.0
    while (used := sum(map(cpu_seconds, site_processes()))) - before > CALM * LOOK_SECONDS:
        before = used
        time.sleep(LOOK_SECONDS)
    sizes = {pid: kilobytes(pid, "smaps_rollup", "Pss") for pid in site_processes()}
    for pid, pss in sizes.items():
        arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        print(f"{pss / 1000:>8.0f} MB  {' '.join(Path(argument).name for argument in arguments if argument)[:80]}")
    print(f"{sum(sizes.values()) / 1000:>8.0f} MB  in sum")


def site_processes() -> list[int]:
    return tree(os.getpid())[1:]
