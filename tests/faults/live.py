"""A running site: provider, broker and workers in processes of their own, and what the rig may do to them."""

import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import redis

from tests.data_folders import ROOT, copy_of, new_site
from tests.faults.books import Books
from tests.faults.stages import SHORT_TIMES
from tests.faults.stub_bill import StubBill
from tests.faults.zygote import Zygote, kill_group
from tests.processes import is_alive
from tests.waiting import wait_until

PROGRESS = "SELECT COALESCE(SUM(queries), 0) + COALESCE(SUM(periods_played), 0) AS done FROM runs_run"
LEFT = "SELECT COALESCE(SUM(periods - periods_played), 0) AS n FROM runs_run WHERE state IN ('queued', 'running', 'waiting')"
UNFINISHED = "SELECT COUNT(*) AS n FROM runs_run WHERE state IN ('queued', 'running', 'waiting', 'paused')"
STANDING = "SELECT id, state, lease_owner FROM runs_run WHERE state NOT IN ('finished', 'cancelled') ORDER BY id"
HELD = "SELECT lease_owner, COUNT(*) AS runs FROM runs_run WHERE lease_owner <> '' GROUP BY lease_owner"
HELD_BY = "SELECT id, fence FROM runs_run WHERE lease_owner LIKE ?"
PAUSED = "SELECT id, experiment_id, reason FROM runs_run WHERE state = 'paused'"
QUEUE = "celery"
LATE = "Leases, as run/fence:"


class LiveSite:
    """One site on a stage. `workers` are the pids of the workers that should be alive; root: of the code it runs."""

    def __init__(self, stage, *, seed=0, delay=0.02, threads=4, root=ROOT, **hurry):
        self.stage = stage
        self.hurry = hurry
        self.threads = threads
        self.run_code_of(root)
        hang = hurry.get("timeout", 3.0) + 1
        self.stub = StubBill(stage.folder, stage.variables, seed=seed, delay=delay, hang=hang)
        if isinstance(stage.database, Path) and root == ROOT:
            copy_of(new_site, stage.folder)
        self.zygote.call("migrate")
        self.books = Books(stage.database)
        self.workers = []
        self.remains = []
        self.died = []
        self.resumed = []
        self.reasons = []
        self.brokers = [self.zygote.fork("broker")]

    def run_code_of(self, root):
        """From now on; the processes that run already go on with what they have."""
        self.zygote = Zygote(self.stage.folder, self.stage.variables | SHORT_TIMES | self.stage.clock, root)

    # What is played

    def launch(self, size, budget_nano=None):
        return self.zygote.call("launch", urls=self.stub.urls, size=size, budget_nano=budget_nano)

    def progress(self):
        """Replies stored and periods committed so far."""
        return int(self.books.one(PROGRESS))

    def play_on(self, steps):
        """Until so many more replies and periods are stored."""
        wanted = self.progress() + steps
        wait_until(lambda: self.progress() >= wanted, self.standing, every=0.02)

    def periods_left(self):
        return int(self.books.one(LEFT))

    def unfinished(self):
        """Runs that will go on or wait for a person."""
        return int(self.books.one(UNFINISHED))

    def resume_paused(self, budget_nano):
        """Do what a person would about paused runs, and remember when and why it was needed."""
        paused = self.books.rows(PAUSED)
        self.reasons += [row["reason"] for row in paused]
        short = {row["experiment_id"] for row in paused if "budget" in row["reason"].lower()}
        for experiment in sorted(short):
            self.zygote.call("raise_budget", experiment=experiment, by_nano=budget_nano or 10**10)
        rest = [row["id"] for row in paused if row["experiment_id"] not in short]
        if rest:
            self.zygote.call("resume", runs=rest)
        self.resumed += [(row["id"], time.time()) for row in paused]
        return len(paused)

    # Workers

    def start_worker(self):
        pid = self.zygote.fork("work", threads=self.threads, **self.hurry)
        self.workers.append(pid)
        return pid

    def kill_worker(self, pid, *, group):
        """SIGKILL to the worker's process or to all it started; returns when it is dead."""
        self.workers.remove(pid)
        if group:
            kill_group(pid)
            return
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        while is_alive(pid):
            time.sleep(0.002)
        # Its children live on for a while, as they do if only the parent is killed.
        self.remains.append(pid)

    def bury(self):
        """End processes that killed workers left behind, and restart the broker if it was one of them."""
        for pid in self.remains:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        self.remains.clear()
        if not self.broker_answers():
            self.start_broker()

    def revive(self):
        """Restart each broker or worker that ended without an injected fault, as a supervisor does."""
        if not self.broker_answers() and not is_alive(self.brokers[-1]):
            self.start_broker()
        for pid in [pid for pid in self.workers if not is_alive(pid)]:
            self.workers.remove(pid)
            self.remains.append(pid)
            self.died.append(pid)
            self.start_worker()

    def holders(self):
        """How many runs each living worker holds."""
        held = {_pid(row["lease_owner"]): row["runs"] for row in self.books.rows(HELD)}
        return {pid: held[pid] for pid in self.workers if pid in held}

    def held_by(self, pid):
        """The runs that a struck worker held, each with its fence, which every call under that lease is marked with."""
        found = set()
        for _ in range(2):
            found |= {(row["id"], row["fence"]) for row in self.books.rows(HELD_BY, f"%:{pid}:%")}
            # A commit that was on its way to a database server is carried out though its worker is gone.
            time.sleep(0.0 if self.books.is_sqlite else 0.05)
        return sorted(found)

    def standing(self):
        """Broker, workers, unfinished runs and the last log lines, to explain a standstill."""
        rows = self.books.rows(STANDING)
        held = "; ".join(f"run {row['id']} {row['state']} {row['lease_owner']}" for row in rows[:12])
        waiting = self.messages.llen(QUEUE) if self.broker_answers() else "no broker"
        alive = {pid: is_alive(pid) for pid in (self.brokers[-1], *self.workers)}
        return f"alive {alive}, messages {waiting}, {held}, last words: {self.zygote.tail()[-600:]}"

    def renewed_late(self):
        """Leases, as (run, fence), that a living worker was too slow to renew, by its own account."""
        lines = self.zygote.log.read_text(errors="replace").splitlines() if self.zygote.log.exists() else []
        named = " ".join(line.partition(LATE)[2] for line in lines)
        return [(int(run), int(fence)) for run, fence in re.findall(r"(\d+)/(\d+)", named)]

    # Broker

    @property
    def messages(self):
        return redis.Redis(unix_socket_path=str(self.stage.folder / "valkey.sock"), socket_timeout=2)

    def broker_answers(self):
        try:
            return bool(self.messages.ping())
        except (redis.RedisError, OSError):
            return False

    def kill_broker(self):
        with suppress(redis.RedisError, OSError):
            server = int(self.messages.info("server")["process_id"])
            os.kill(server, signal.SIGKILL)
            while is_alive(server):
                time.sleep(0.002)

    def start_broker(self):
        self.brokers.append(self.zygote.fork("broker"))

    def close(self):
        for pid in list(self.workers):
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGCONT)
            self.kill_worker(pid, group=True)
        self.bury()
        # All of them: a broker whose disk was full may live on without answering.
        for broker in self.brokers:
            kill_group(broker)
        # A broker restarted by a worker is no longer our child.
        self.kill_broker()
        self.stub.close()
        self.zygote.close()
        self.books.close()


def _pid(owner):
    """The process in a lease's owner, which reads host:pid:random."""
    return int(owner.split(":")[1])
