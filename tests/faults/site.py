"""A site in processes of its own: commands and workers on a data folder, as bin/up starts them."""

import json
import os
import signal
import sqlite3
import subprocess
import sys

from tests.data_folders import ROOT, copy_of, new_site
from tests.faults.stages import SHORT_TIMES, Stage
from tests.waiting import patience, wait_until

END_AND_DIE = """
import os, signal
from runs.engine.advance import advance
from runs.models import Run
advance(Run.objects.get().pk)
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Play the only run to its end in a process that is killed then."""


class Site:
    """Commands and one worker at a time on SQLite and an embedded broker. kill_worker is called at the end of the block."""

    def __init__(self, folder, **variables):
        self.folder = folder
        self.variables = Stage.on_sqlite(folder).variables | SHORT_TIMES | variables
        self.worker = None
        copy_of(new_site, folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill_worker()

    def run(self, *words, check=True):
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=self.variables, capture_output=True, text=True, timeout=patience())
        if check and done.returncode:
            raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done

    def launch(self, *words):
        """Launch easy pricing; returns the number of the experiment."""
        pricing = ("--environment", "pricing", "--difficulty", "BASIC")
        return json.loads(self.run("launch", *pricing, *words, "--json").stdout)["experiment"]

    def export(self, experiment):
        return [json.loads(line) for line in self.run("export", "--experiment", str(experiment)).stdout.splitlines()]

    def rows(self, query):
        with sqlite3.connect(self.folder / "econevals.sqlite3", timeout=patience()) as database:
            return database.execute(query).fetchall()

    def start_worker(self, *words):
        with (self.folder / "worker.log").open("ab") as log:
            command = [sys.executable, "manage.py", "work", "--threads", "8", *words]
            options = {"cwd": ROOT, "env": self.variables, "start_new_session": True}
            self.worker = subprocess.Popen(command, stdout=log, stderr=log, **options)

    def kill_worker(self):
        """SIGKILL to the worker and to the broker it started, all at once."""
        if self.worker is not None:
            os.killpg(self.worker.pid, signal.SIGKILL)
            self.worker.wait()
            self.worker = None

    def wait_until(self, true, every=0.1):
        wait_until(true, lambda: (self.folder / "worker.log").read_text()[-3000:], every=every)
