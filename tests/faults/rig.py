"""A site on a stage, tormented until so many kills are done, then healed, finished and checked."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from tests.data_folders import copy_of, new_site
from tests.faults.breakage import Tools
from tests.faults.checker import check, gathered
from tests.faults.figures import Outcome, figures
from tests.faults.live import LiveSite
from tests.faults.nemesis import BREAKER_SECONDS, LONG_SILENCE, RECOVERY_SECONDS, Nemesis, Strike
from tests.faults.stages import SHORT_TIMES, Stage
from tests.faults.stub_bill import StubBill
from tests.faults.watcher import Watcher
from tests.faults.zygote import Zygote
from tests.waiting import Patience

Say = Callable[[str], None]

WORKERS = 2
LOW = 60  # Periods left to play below which another batch of runs is launched.
FAULTY_SHARE = 0.3
FINISHING_SECONDS = 240.0


@dataclass(frozen=True)
class Profile:
    """size: of a batch, see `games.plans`; look_seconds: between two looks of the watcher; spell: SQLite's lock held."""

    size: dict[str, Any] = field(default_factory=lambda: {"periods": 12, "litmus": 6})
    look_seconds: float = 2.0
    spell: float = 8.0
    delay: float = 0.03


CI = Profile()
LONG = Profile(size={"periods": 40, "litmus": 20, "seeds": 2}, look_seconds=20.0, spell=60.0)
PROFILES = {"ci": CI, "long": LONG}


def undisturbed(folder, size):
    """The export of one batch without faults, played on a fresh site without workers."""
    stage = Stage.on_sqlite(folder)
    copy_of(new_site, folder)
    zygote = Zygote(folder, stage.variables | SHORT_TIMES)
    with closing(zygote), closing(StubBill(folder, stage.variables)) as stub:
        experiments = zygote.call("launch", urls=stub.urls, size=size)
        zygote.call("play", experiments=experiments)
        return zygote.call("export", experiments=experiments)


def finish(site, budget_nano, say=lambda sentence: None):
    """Until no run is left to play; `seconds` are the most usual seconds in which nothing was stored."""
    left, quiet = Patience(FINISHING_SECONDS), Patience()
    before, silence = site.progress(), 0.0
    while site.unfinished() and not left.is_over():
        if site.resume_paused(budget_nano):
            quiet = Patience()
        site.revive()
        time.sleep(0.1)
        now = site.progress()
        if silence < LONG_SILENCE < quiet.spent:
            say(f"Silence: {site.standing()}")
        silence = max(silence, quiet.spent)
        if now != before:
            before, quiet = now, Patience()
    return Strike("finish", seconds=silence)


@dataclass
class Torment:
    """The faults of a site: their number, kinds and order, which follows from the seed."""

    kills: int
    seed: int = 1
    faults: tuple[str, ...] = ("kill",)
    profile: Profile = CI
    budget_nano: int | None = None
    tools: Tools = field(default_factory=Tools)
    say: Say = lambda sentence: None

    def run(self, stage, expected):
        provider = "provider" in self.faults
        hurry = {"timeout": 4.0, "first_delay": 0.2} if provider else {}
        site = LiveSite(stage, seed=self.seed, delay=self.profile.delay, **hurry)
        watcher = Watcher(stage.database, self.profile.look_seconds)
        try:
            started = time.monotonic()
            self.experiments = []
            self._keep_busy(site)
            for _ in range(WORKERS):
                site.start_worker()
            watcher.start()
            nemesis = Nemesis(site, self.seed, self.faults, spell=self.profile.spell, tools=self.tools)
            site.stub.fail(FAULTY_SHARE if provider else 0.0)
            self._torment(site, nemesis)
            seconds = time.monotonic() - started
            nemesis.strikes.append(self._finish(site, nemesis))
            watcher.stop()
            if late := site.renewed_late():
                nemesis.strikes.append(Strike("machine_too_busy", doomed=late, seconds=0.0))
            allowed = RECOVERY_SECONDS + (BREAKER_SECONDS if provider else 0.0)
            agree = "clock" not in self.faults
            more = {"seen": watcher.violations, "clocks_agree": agree, "allowed": allowed}
            evidence = gathered(site, nemesis.strikes, self.experiments, expected, **more)
            outcome = Outcome(figures(evidence, seconds, watcher.looks), check(evidence))
            outcome.figures["workers that ended by themselves"] = str(len(site.died))
            outcome.figures["reasons of pauses"] = "; ".join(sorted(set(site.reasons)))[:400] or "none"
            return outcome
        finally:
            self.tools.close()
            site.close()

    def _keep_busy(self, site):
        while site.periods_left() < LOW:
            self.experiments += site.launch(self.profile.size, self.budget_nano)

    def _torment(self, site, nemesis):
        done = 0
        while done < self.kills:
            self._keep_busy(site)
            strike = nemesis.strike()
            done += max(1, strike.kills)
            site.resume_paused(self.budget_nano)
            seconds = "never" if strike.seconds is None else f"{strike.seconds:.2f} s"
            self.say(f"{done} of {self.kills}: {strike.kind}, {len(strike.doomed)} runs hit, went on after {seconds}")
            if strike.standing:
                self.say(strike.standing)

    def _finish(self, site, nemesis):
        """Heal everything and let the runs end; the longest silence counts as a recovery."""
        site.stub.fail(0.0)
        doomed = nemesis.set_clock("+0") if self.tools.clock is not None else []
        site.start_broker()
        strike = finish(site, self.budget_nano, self.say)
        strike.doomed += doomed
        return strike
