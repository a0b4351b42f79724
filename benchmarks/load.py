"""Throughput, CPU and memory of a worker with many runs in flight, and whether a period costs the same late in a run.

    python benchmarks/load.py [--at-once 1 16 64 256] [--set-up embedded team] [--seconds 20] [--json] [--check]

Runs of pricing BASIC are played by one worker against a local endpoint that takes a set time to answer (see
latency_endpoint.py). A database, a data folder and a worker are made anew for each number of runs; in the team set-up the
database `econevals_load` is dropped and created on the server given. Everything shares the machine: worker, endpoint and,
in the team set-up, PostgreSQL and Redis, so leave it alone meanwhile.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.latency_endpoint import CALLS_PER_PERIOD  # noqa: E402
from benchmarks.load_growth import growth  # noqa: E402
from benchmarks.load_processes import EMBEDDED, Endpoint, SetUp, Usage, team, worker_that_played  # noqa: E402
from environments.base import PERIODS  # noqa: E402

LEAST_WARM_UP, LONGEST_WARM_UP = 12.0, 120.0

SHARE_OF_IDEAL, MB_PER_RUN, CPU_MS_PER_CALL, GROWTH = 0.9, 3.0, 5.0, 1.1
"""Targets of --check: the first three at the largest number of runs, the last for the last decile of a run over its first."""


def measure(set_up: SetUp, endpoint: Endpoint, runs: int, latency: float, seconds: float) -> dict[str, Any]:
    """One row of the table: a steady window of so many runs in flight."""
    with worker_that_played(set_up, endpoint, runs) as site:
        idle = site.usage()
        endpoint.get(f"latency/{latency}")
        site.launch(endpoint, f"0-{runs - 1}")
        warm_up = wait_until_steady(endpoint, latency)
        before, used_before = endpoint.stats(), site.usage()
        time.sleep(seconds)
        after, used = endpoint.stats(), site.usage()
        states = site.stored()["states"]
    row = throughput(before, after, runs, latency) | memory(idle, used, runs, set_up.processes)
    row["cpu_ms_per_call"] = 1000 * (used.cpu - used_before.cpu) / row["calls"]
    row["cores"] = (used.cpu - used_before.cpu) / row["seconds"]
    return {"set_up": set_up.name, "at_once": runs, "warm_up_seconds": warm_up, "states": states} | row


def wait_until_steady(endpoint: Endpoint, latency: float) -> float:
    """Seconds until two spans in a row saw nearly the same number of queries in flight: workers start slowly on purpose."""
    started = time.monotonic()
    span = max(4.0, 2 * latency)
    earlier, before = -1.0, endpoint.stats()
    while True:
        time.sleep(span)
        after = endpoint.stats()
        mean = (after["in_flight_seconds"] - before["in_flight_seconds"]) / (after["clock"] - before["clock"])
        waited = time.monotonic() - started
        steady = abs(mean - earlier) <= 0.03 * mean and waited >= LEAST_WARM_UP
        if steady or waited > LONGEST_WARM_UP:
            return waited
        earlier, before = mean, after


def throughput(before: dict[str, Any], after: dict[str, Any], runs: int, latency: float) -> dict[str, Any]:
    """Calls of a window, from the time queries spent at the endpoint over the time each of them did.

    Runs that start together call in waves; counting answers would be wrong by a wave at either end of the window.
    """
    change = {name: after[name] - before[name] for name in before if not name.startswith("overhead")}
    seconds, answered = change["clock"], max(1, change["answered"])
    held = change["held_seconds"] / answered or latency
    calls = max(change["in_flight_seconds"] / held, 1.0)
    return {
        "seconds": seconds,
        "calls": calls,
        "calls_answered": change["answered"],
        "calls_per_second": calls / seconds,
        "share_of_ideal": calls / seconds / (runs / latency),
        "runs_per_hour": 3600 * calls / seconds / CALLS_PER_PERIOD / PERIODS,
        "mean_in_flight": change["in_flight_seconds"] / seconds,
        "overhead_p50_ms": after["overhead_p50"] and 1000 * after["overhead_p50"],
        "overhead_p99_ms": after["overhead_p99"] and 1000 * after["overhead_p99"],
        "endpoint_late_ms": 1000 * (held - latency),
        "endpoint_cpu_ms_per_call": 1000 * change["cpu_seconds"] / answered,
    }


def memory(idle: Usage, used: Usage, runs: int, processes: int) -> dict[str, Any]:
    """Where the worker has several processes, all that it started counts, the scheduler too."""
    million = 1_000_000
    grown = used.rss - idle.rss if processes == 1 else used.pss - idle.pss
    return {
        "rss_mb": used.rss / million,
        "pss_mb": used.pss / million,
        "idle_rss_mb": idle.rss / million,
        "mb_per_run": grown / million / runs,
        "threads": used.threads,
    }


def missed(rows: list[dict[str, Any]], grown: list[dict[str, Any]]) -> list[str]:
    """A sentence for each target that was not met."""
    sentences = []
    for row in rows:
        where = f"{row['set_up']}, {row['at_once']} at once"
        for state, number in row["states"].items():
            if state.partition(":")[0] not in {"queued", "running", "finished"}:
                sentences.append(f"{where}: {number} runs are {state}.")
        if row["at_once"] < max(other["at_once"] for other in rows):
            continue
        if row["share_of_ideal"] < SHARE_OF_IDEAL:
            sentences.append(f"{where}: {row['share_of_ideal']:.0%} of the ideal, less than {SHARE_OF_IDEAL:.0%}.")
        if row["mb_per_run"] >= MB_PER_RUN:
            sentences.append(f"{where}: {row['mb_per_run']:.1f} MB a run, not under {MB_PER_RUN:.0f}.")
        if row["cpu_ms_per_call"] >= CPU_MS_PER_CALL:
            sentences.append(
                f"{where}: {row['cpu_ms_per_call']:.1f} ms of CPU a call, not under {CPU_MS_PER_CALL:.0f}."
            )
    for row in grown:
        for what in ("stored_bytes",) if row["history"] else ("stored_bytes", "cpu_ms"):
            ratio = row[what][-1] / row[what][0]
            if ratio > GROWTH:
                sentences.append(f"{row['set_up']}: {what} of a period grow by {ratio:.2f} in the course of a run.")
    return sentences


COLUMNS = (
    ("calls/s", "calls_per_second", "8.1f"),
    ("of ideal", "share_of_ideal", "9.1%"),
    ("runs/h", "runs_per_hour", "8.1f"),
    ("in flight", "mean_in_flight", "10.1f"),
    ("CPU ms/call", "cpu_ms_per_call", "12.2f"),
    ("cores", "cores", "6.2f"),
    ("RSS MB", "rss_mb", "7.0f"),
    ("PSS MB", "pss_mb", "7.0f"),
    ("MB/run", "mb_per_run", "7.2f"),
    ("p50 ms", "overhead_p50_ms", "8.0f"),
    ("p99 ms", "overhead_p99_ms", "8.0f"),
    ("warm-up s", "warm_up_seconds", "10.0f"),
)


def width(form: str) -> int:
    return int(form.partition(".")[0])


def print_head() -> None:
    print(f"{'set-up':<9}{'runs':>5}" + "".join(f"{title:>{width(form)}}" for title, _, form in COLUMNS))


def print_row(row: dict[str, Any]) -> None:
    cells = (f"{'-':>{width(form)}}" if row[name] is None else f"{row[name]:{form}}" for _, name, form in COLUMNS)
    print(f"{row['set_up']:<9}{row['at_once']:>5}" + "".join(cells), flush=True)


def print_growth(row: dict[str, Any]) -> None:
    reads = "reads its data" if row["history"] else "does not read its data"
    print(f"{row['set_up']}, per period, periods 1-10 and 91-100, of a model that {reads}:")
    names = {"stored_bytes": "bytes stored", "cpu_ms": "CPU ms", "wall_ms": "wall ms", "request_bytes": "bytes sent"}
    for name, title in names.items():
        first, last = row[name][0], row[name][-1]
        print(f"  {title:<13}{first:>9,.0f}{last:>9,.0f}   x {last / first:.2f}", flush=True)


def set_ups(options: argparse.Namespace) -> list[SetUp]:
    set_ups_to_run = [EMBEDDED] if "embedded" in options.set_up else []
    if "team" in options.set_up:
        if options.database_url and options.redis_url:
            set_ups_to_run.append(team(options.database_url, options.redis_url, options.processes))
        else:
            print("Skipped the team set-up: give --database-url and --redis-url.", file=sys.stderr)
    return set_ups_to_run


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--at-once", type=int, nargs="*", default=[1, 16, 64, 256], metavar="RUNS", help="runs in flight, none to skip")
    add("--set-up", nargs="+", choices=["embedded", "team"], default=["embedded", "team"])
    add(
        "--database-url",
        default=os.environ.get("TEST_DATABASE_URL", ""),
        help="a PostgreSQL server for the team set-up",
    )
    add("--redis-url", default=os.environ.get("TEST_REDIS_URL", ""), help="a Redis server for it, used by nobody else")
    add("--processes", type=int, default=1, help="processes of the worker in the team set-up")
    add("--latency", type=float, default=2.0, metavar="SECONDS", help="how long the endpoint takes to answer")
    add("--seconds", type=float, default=20.0, help="length of the window")
    add("--no-growth", action="store_true", help="leave out the cost by period number")
    add("--json", action="store_true", help="print JSON")
    add("--check", action="store_true", help="exit with 1 where a target is missed")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    rows, grown = [], []
    show = not options.json
    endpoint = Endpoint(options.latency)
    try:
        for set_up in set_ups(options):
            if show and options.at_once:
                print_head()
            for runs in options.at_once:
                rows.append(measure(set_up, endpoint, runs, options.latency, options.seconds))
                if show:
                    print_row(rows[-1])
            for history in () if options.no_growth else (True, False):
                grown.append(growth(set_up, endpoint, history=history))
                if show:
                    print_growth(grown[-1])
    finally:
        endpoint.close()
    missed_targets = missed(rows, grown)
    if options.json:
        print(json.dumps({"levels": rows, "growth": grown, "missed": missed_targets}, indent=2))
    elif missed_targets:
        print("Missed:", *missed_targets, sep="\n  ")
    sys.exit(1 if options.check and missed_targets else 0)


if __name__ == "__main__":
    main()
