"""The processes of a load test: the model endpoint, a site's worker and commands, and what /proc says they use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")
TEAM_DATABASE = "econevals_load"
FIRST_LATENCY = 0.02


class Endpoint:
    """The endpoint in a process of its own, which ends with this one."""

    def __init__(self, latency: float):
        command = [sys.executable, str(HERE / "latency_endpoint.py"), "--latency", str(latency)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def get(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=30) as answer:
            return json.load(answer)

    def stats(self) -> dict[str, Any]:
        return self.get("stats")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass(frozen=True)
class SetUp:
    """Where a site keeps its data, and how many processes its worker has: `variables` is empty for SQLite and the
    embedded broker."""

    name: str
    variables: Mapping[str, str]
    processes: int = 1


def team(database_url: str, redis_url: str, processes: int) -> SetUp:
    """PostgreSQL and Redis; the database is `econevals_load` on the server that the URL names, made anew by each site."""
    url = urlunsplit(urlsplit(database_url)._replace(path=f"/{TEAM_DATABASE}"))
    return SetUp(
        "team",
        {
            "DATABASE_URL": url,
            "SECRET_KEY": "only-for-measuring-0123456789-abcdefgh",
            "REDIS_URL": redis_url,
            "TEST_DATABASE_URL": database_url,
        },
        processes,
    )


EMBEDDED = SetUp("embedded", {})


class Site:
    """A site with an empty database in a data folder of its own, and one worker."""

    def __init__(self, set_up: SetUp, threads: int):
        self._folder = tempfile.TemporaryDirectory(prefix="econevals-load.", ignore_cleanup_errors=True)
        own = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
        self.variables = {name: value for name, value in os.environ.items() if name not in own}
        self.variables |= {"ECONEVALS_DATA_DIR": self._folder.name, "ECONEVALS_ALLOW_PRIVATE_ENDPOINTS": "1"}
        self.variables |= {"LOG_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore"} | dict(set_up.variables)
        if "DATABASE_URL" in set_up.variables:
            _make_anew(set_up.variables["TEST_DATABASE_URL"])
        self.log = Path(self._folder.name) / "worker.log"
        self.worker: subprocess.Popen[bytes] | None = None
        try:
            self.manage("migrate", "--verbosity", "0")
            self.worker = self._start_worker(threads, set_up.processes)
        except BaseException:
            self.close()
            raise

    def manage(self, *arguments: str) -> str:
        return self._run("manage.py", *arguments)

    def launch(self, endpoint: Endpoint, seeds: str, *arguments: str) -> None:
        agent = f"openai-compatible:house@{endpoint.url}/v1"
        game = ("--environment", "pricing", "--difficulty", "BASIC", "--seeds", seeds, "--agent", agent)
        self.manage("launch", *game, "--json", *arguments)

    def stored(self) -> dict[str, Any]:
        """States of the runs and bytes of their transcripts, as benchmarks/load_stored.py reads them.

        The worker is killed first: it may hold every connection that the database gives.
        """
        self.kill_worker()
        time.sleep(1)
        stored: dict[str, Any] = json.loads(self._run("benchmarks/load_stored.py"))
        return stored

    def _run(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.variables, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def _start_worker(self, threads: int, processes: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "work", "--threads", str(threads), "--processes", str(processes)]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, env=self.variables, stdout=log, stderr=log, start_new_session=True
            )

    def usage(self) -> Usage:
        assert self.worker is not None
        if self.worker.poll() is not None:
            raise SystemExit(f"The worker ended with {self.worker.returncode}: {self.log.read_text()[-2000:]}")
        return usage_of(self.worker.pid)

    def kill_worker(self) -> None:
        """With all it started; nothing here is worth a slow goodbye."""
        if self.worker is not None:
            for pid in tree(self.worker.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.worker.wait()
            self.worker = None

    def close(self) -> None:
        self.kill_worker()
        self._folder.cleanup()

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@contextmanager
def worker_that_played(set_up: SetUp, endpoint: Endpoint, threads: int) -> Iterator[Site]:
    """A site whose worker has played one short run, so that everything is imported, and is idle again."""
    with Site(set_up, threads) as site:
        endpoint.get(f"latency/{FIRST_LATENCY}")
        periods_before = endpoint.stats()["periods"]
        site.launch(endpoint, "1000", "--periods", "3")
        deadline = time.monotonic() + 60
        while endpoint.stats()["periods"] < periods_before + 3:
            if time.monotonic() > deadline:
                raise SystemExit(f"The worker plays nothing. {site.stored()['states']} {site.log.read_text()[-1000:]}")
            time.sleep(0.2)
        time.sleep(2)
        yield site


def _make_anew(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {TEAM_DATABASE} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {TEAM_DATABASE}")


@dataclass(frozen=True)
class Usage:
    """cpu: seconds of the worker with its children (scheduler, embedded broker)
    rss, pss: bytes of the process that was started alone, and of all of them with shared pages counted once
    threads: of all of them
    """

    cpu: float
    rss: int
    pss: int
    threads: int


def usage_of(pid: int) -> Usage:
    members = tree(pid)
    return Usage(
        cpu=sum(map(cpu_seconds, members)),
        rss=kilobytes(pid, "status", "VmRSS") * 1024,
        pss=sum(kilobytes(member, "smaps_rollup", "Pss") for member in members) * 1024,
        threads=sum(kilobytes(member, "status", "Threads") for member in members),
    )


def tree(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree = [pid]
    for member in tree:
        tree += children.get(member, [])
    return tree


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, from the state on; none for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def cpu_seconds(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def kilobytes(pid: int, file: str, name: str) -> int:
    """The number after a name in a file such as /proc/PID/status."""
    try:
        text = Path(f"/proc/{pid}/{file}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.partition(f"{name}:")[2].split()[0])
