"""Throughput, CPU and memory of a worker with many runs in flight.

    python -m benchmarks load [--at-once 1 16 64 256] [--set-up embedded team] [--latency 2] [--seconds 20]

One worker plays runs of pricing BASIC against a local endpoint with a fixed latency (see latency_endpoint.py). Each number
of runs gets a new database, data folder and worker. In the team set-up, the database is on the PostgreSQL server that
TEST_DATABASE_URL names, and TEST_REDIS_URL names a Redis server without other users. Worker, endpoint, PostgreSQL and
Redis share the machine, so do not use it for other work meanwhile.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from benchmarks.harness import ROOT, spending
from benchmarks.processes import cpu_seconds, kilobytes, tree
from tests.faults.books import Books
from tests.faults.stages import Stage
from tests.waiting import wait_until

FIRST_LATENCY = 0.02
LEAST_WARM_UP, LONGEST_WARM_UP = 12.0, 120.0
COLUMNS = (("calls/s", "8.1f"), ("of ideal", "9.1%"), ("CPU ms/call", "12.2f"), ("RSS MB", "7.0f"), ("MB/run", "7.2f"))


class Endpoint:
    """The endpoint of latency_endpoint.py in a child process."""

    def __init__(self, latency: float):
        command = [sys.executable, "-m", "benchmarks.latency_endpoint", str(latency)]
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def get(self, path: str) -> dict[str, float]:
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=30) as answer:
            return dict(json.load(answer))

    def change_in(self, seconds: float) -> dict[str, float]:
        """Wait, and return the changes of the counters meanwhile."""
        before = self.get("stats")
        time.sleep(seconds)
        return {name: value - before[name] for name, value in self.get("stats").items()}

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Worker:
    """A worker of a new site in a child process. `stage`: the database and the data folder of the site."""

    def __init__(self, stage: Stage, threads: int):
        self.stage, self.log = stage, stage.folder / "worker.log"
        self.variables = stage.variables | {"LOG_LEVEL": "WARNING"}
        self.manage("migrate", "--verbosity", "0")
        command = [sys.executable, "manage.py", "work", "--threads", str(threads)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.variables, start_new_session=True, stdout=log, stderr=log
            )

    def manage(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.variables,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def launch(self, endpoint: Endpoint, seeds: str, *arguments: str) -> None:
        game = ("--environment", "pricing", "--difficulty", "BASIC", "--seeds", seeds)
        self.manage("launch", *game, "--agent", f"openai-compatible:house@{endpoint.url}/v1", *arguments)

    def states(self) -> dict[str, str]:
        """Return the states of the runs, each with the reason of one run in it."""
        with closing(Books(self.stage.database)) as books:
            return {row["state"]: row["reason"] for row in books.rows("SELECT DISTINCT state, reason FROM runs_run")}

    def cpu(self) -> float:
        """Return the processor seconds of the worker and its children (scheduler, embedded broker)."""
        return sum(map(cpu_seconds, tree(self.process.pid)))

    def memory(self) -> int:
        """Return the resident bytes of the worker's process, without its children."""
        return kilobytes(self.process.pid, "status", "VmRSS") * 1024

    def close(self) -> None:
        """Kill the worker and its children."""
        for pid in tree(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def main(
    *,
    at_once: tuple[int, ...] = (1, 16, 64, 256),
    set_up: tuple[str, ...] = ("embedded", "team"),
    latency: float = 2.0,
    seconds: float = 20.0,
) -> None:
    if "team" in set_up and not {"TEST_DATABASE_URL", "TEST_REDIS_URL"} <= os.environ.keys():
        sys.exit("The team set-up needs TEST_DATABASE_URL and TEST_REDIS_URL; --set-up embedded needs nothing.")
    print(f"{'set-up':<9}{'runs':>5}" + "".join(f"{title:>{form.partition('.')[0]}}" for title, form in COLUMNS))
    with closing(Endpoint(latency)) as endpoint:
        for name in set_up:
            for runs in at_once:
                row = zip(measured(name, endpoint, runs, latency, seconds), COLUMNS, strict=True)
                print(f"{name:<9}{runs:>5}" + "".join(f"{value:{form}}" for value, (_, form) in row), flush=True)


def measured(set_up: str, endpoint: Endpoint, runs: int, latency: float, seconds: float) -> tuple[float, ...]:
    """Measure `runs` runs in flight for `seconds` seconds. Returns the values of COLUMNS.

    The number of calls is the total time of queries at the endpoint, divided by the mean time of a query. Runs that start
    together send their calls in waves, so a count of answers could be wrong by a wave at either end of the window.
    """
    with worker_at_rest(set_up, endpoint, runs) as worker:
        idle = worker.memory()
        endpoint.get(f"latency/{latency}")
        worker.launch(endpoint, f"0-{runs - 1}")
        wait_until_steady(endpoint, latency)
        with spending(worker.cpu) as spent:
            change = endpoint.change_in(seconds)
        memory, states = worker.memory(), worker.states()
        assert worker.process.poll() is None and set(states) <= {"queued", "running", "finished"}, states
    calls = max(change["in_flight_seconds"] * change["answered"] / (change["held_seconds"] or latency), 1.0)
    rate, cpu = calls / change["clock"], 1000 * spent.processor / calls
    return rate, rate * latency / runs, cpu, memory / 1e6, (memory - idle) / 1e6 / runs


def wait_until_steady(endpoint: Endpoint, latency: float) -> None:
    """Wait until the mean number of queries in flight is stable. A worker raises this number slowly on purpose."""
    started, earlier = time.monotonic(), -1.0
    while (waited := time.monotonic() - started) < LONGEST_WARM_UP:
        change = endpoint.change_in(max(4.0, 2 * latency))
        mean = change["in_flight_seconds"] / change["clock"]
        if abs(mean - earlier) <= 0.03 * mean and waited >= LEAST_WARM_UP:
            return
        earlier = mean


@contextmanager
def worker_at_rest(set_up: str, endpoint: Endpoint, threads: int) -> Iterator[Worker]:
    """Start a worker that plays one short run, so that all modules are imported, and then is idle."""
    with ExitStack() as stack:
        data = tempfile.TemporaryDirectory(prefix="econevals-load.", ignore_cleanup_errors=True)
        stage = Stage.on_sqlite(Path(stack.enter_context(data)))
        if set_up == "team":
            stage = stack.enter_context(Stage.on_postgres(stage.folder, os.environ["TEST_DATABASE_URL"]))
            stage.variables["REDIS_URL"] = os.environ["TEST_REDIS_URL"]
        worker = stack.enter_context(closing(Worker(stage, threads)))
        endpoint.get(f"latency/{FIRST_LATENCY}")
        periods_before = endpoint.get("stats")["periods"]
        worker.launch(endpoint, "1000", "--periods", "3")
        wait_until(
            lambda: endpoint.get("stats")["periods"] >= periods_before + 3,
            lambda: f"The worker plays nothing. {worker.states()} {worker.log.read_text()[-1000:]}",
            seconds=60,
            every=0.2,
        )
        time.sleep(2)
        yield worker
