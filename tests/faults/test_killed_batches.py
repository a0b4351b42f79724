"""SIGKILL before each line of code in the life of a batch: every question is answered once, at half the price."""

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import count

import pytest

from tests.data_folders import copy_of, new_site
from tests.emulators.families import FAMILIES
from tests.emulators.player import Play
from tests.emulators.server import Emulator
from tests.faults.stages import SHORT_TIMES, Stage
from tests.faults.zygote import Zygote
from tests.processes import is_alive
from tests.waiting import wait_until

EVERY_LINE_OF = "lifecycle.py"
"""The file of the submission and the settlement, whose lines are all swept."""

EVERY = 10
"""Of all lines, so many lie from one kill to the next. The next worker is killed there as well."""

SUMS = "SELECT SUM(cost_nano), SUM(reserved_nano) FROM runs_{}"
UNFINISHED = "SELECT id, state, reason FROM runs_run WHERE state <> 'finished'"
OF_CALLS = "SELECT state, COUNT(*) FROM runs_exchange GROUP BY state"


class Site:
    """A site whose surveys are asked at an emulated maker. Each look of a worker moves the maker on by a step."""

    def __init__(self, folder, model):
        calls = count(1)
        # Every fifth answer is missing, so that runs need a second batch.
        self.emulator = Emulator(
            FAMILIES[model], lambda view: Play("A" if next(calls) % 5 == 0 else "<answer>A</answer>")
        )
        self.emulator.page_fault = lambda method, path: self._step() if path == "/step" else None
        card = self.emulator.model
        self.words = {"urls": {card.maker: self.emulator.base_url}}
        cards = {"input": card.prices.input, "output": card.prices.output, "cached": card.prices.cached}
        self.prices = {
            f"{name}_price": str(float(price)) for name, price in (cards | {"cache_write": card.prices.written}).items()
        }
        stage = Stage.on_sqlite(folder)
        copy_of(new_site, folder)
        self.database = stage.database
        self.zygote = Zygote(folder, stage.variables | SHORT_TIMES | {"ECONEVALS_BATCH_POLL_SECONDS": "0"})
        self.zygote.call("migrate")

    def launch(self, times):
        words = {"model": self.emulator.model.id, "prices": self.prices, "times": times}
        return self.zygote.call("launch_by_batch", **self.words, **words)

    def live(self, run, line=""):
        """A fork plays the run until it ends, or is killed before the line. Returns its lines if it is not killed."""
        words = self.words | {"step_url": f"{self.emulator.url}/step", "run": run, "line": line}
        if not line:
            return self.zygote.call("live_by_batch", **words)
        pid = self.zygote.fork("live_by_batch", **words)
        wait_until(lambda: not is_alive(pid), lambda: f"run {run} does not end: {self.zygote.tail()}", every=0.005)
        return []

    def rows(self, query):
        with closing(sqlite3.connect(self.database)) as database:
            return database.execute(query).fetchall()

    def _step(self):
        self.emulator.batches.advance()
        return 200, {}

    def close(self):
        self.zygote.close()
        self.emulator.close()


@pytest.mark.parametrize("model", ["gpt-4.1-2025-04-14", "claude-opus-4-8"])
def test_a_kill_at_any_step_of_a_batch_repeats_no_question(tmp_path, model):
    with closing(Site(tmp_path / "site", model)) as site:
        first, *_ = site.launch(1)
        lines = site.live(first)
        swept = [line for line in lines if line.startswith(EVERY_LINE_OF)]
        twice = lines[::EVERY]
        assert len(swept) > 40 and len(twice) > 20
        for run, line in zip(site.launch(len(swept + twice)), swept + twice, strict=True):
            site.live(run, line)
            if line in twice:
                site.live(run, line)
            site.live(run)
        assert site.rows(UNFINISHED) == []
        tries = Counter(site.emulator.batches.answered.values())
        assert set(tries) == {1}
        states = dict(site.rows(OF_CALLS))
        assert states == {"replied": tries[1]}
        bill = site.emulator.bill.nanodollars
        for table in ("run", "experiment"):
            assert site.rows(SUMS.format(table)) == [(bill, 0)]
        full = sum(site.emulator.model.prices.nano(charge.usage) for charge in site.emulator.bill.charges)
        assert 2 * bill == full
