"""SIGKILL before every line of the engine that one period executes, and again while the next worker recovers from that."""

import time
from dataclasses import dataclass

from tests.faults.checker import check, gathered
from tests.faults.figures import Outcome, figures
from tests.faults.live import LiveSite
from tests.faults.nemesis import Strike
from tests.faults.rig import Say, finish, undisturbed
from tests.faults.stages import LEASE_SECONDS
from tests.faults.watcher import Watcher
from tests.processes import is_alive
from tests.waiting import wait_until

PERIODS = 2
GAMES = {
    "pricing": {"periods": PERIODS, "litmus": 0, "only": ["pricing"]},
    "collusion": {"litmus": PERIODS, "only": ["collusiveness_vs_competitiveness"]},
    "patience": {"litmus": PERIODS, "repetitions": 1, "only": ["patience_vs_impatience"]},
}
RUN = "SELECT id FROM runs_run WHERE experiment_id = ?"


@dataclass
class Sweep:
    """Each run is killed once at its line and once more at it in recovery.

    most: runs of each game, whose lines lie evenly; None for a run for every line
    """

    most: int | None = None
    games: tuple[str, ...] = tuple(GAMES)
    say: Say = lambda sentence: None

    def run(self, stage, calm):
        calm.mkdir()
        expected = [record for name in self.games for record in undisturbed(calm / name, GAMES[name])]
        site = LiveSite(stage, delay=0.0)
        watcher = Watcher(stage.database, 2.0)
        strikes = []
        experiments = []
        started = time.monotonic()
        try:
            watcher.start()
            for name in self.games:
                self._sweep(site, name, experiments, strikes)
            seconds = time.monotonic() - started
            site.start_worker()
            site.start_worker()
            strikes.append(finish(site, None, self.say))
            watcher.stop()
            evidence = gathered(site, strikes, experiments, expected, seen=watcher.violations)
            return Outcome(figures(evidence, seconds, watcher.looks), check(evidence))
        finally:
            site.close()

    def _sweep(self, site, name, experiments, strikes):
        first = site.launch(GAMES[name])
        experiments += first
        # The first run computes the reference, which the others share, and counts the lines.
        (run,) = site.books.rows(RUN, first[0])
        lines = site.zygote.call("advance_lines", run=run["id"], line=0)
        places = range(1, lines + 1, max(1, lines // self.most if self.most else 1))
        self.say(f"{name}: {lines} lines, {len(places)} runs.")
        launched = site.zygote.call("launch", urls=site.stub.urls, size=GAMES[name], times=len(places))
        experiments += launched
        runs = [site.books.one(RUN, experiment) for experiment in launched]
        for again in (False, True):
            if again:
                time.sleep(LEASE_SECONDS + 0.2)
            for run_id, line in zip(runs, places, strict=True):
                strikes.append(self._kill_at(site, name, run_id, line, again))

    def _kill_at(self, site, name, run, line, again):
        strike = Strike(f"{name} line{' in recovery' if again else ''}", seconds=0.0)
        pid = site.zygote.fork("advance_lines", run=run, line=line)
        wait_until(lambda: not is_alive(pid), lambda: f"run {run} does not get to line {line}", every=0.003)
        strike.kills, strike.doomed = 1, site.held_by(pid)
        return strike
