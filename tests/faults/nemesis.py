"""Faults of the processes of a site. Every choice comes from the seed."""

import os
import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field

import redis

from tests.faults import breakage
from tests.faults.live import QUEUE
from tests.faults.stages import LEASE_SECONDS, SWEEP_SECONDS
from tests.waiting import Patience

COPIES = 10
HOLDING_SECONDS = 20.0
LONGEST_WAIT = 0.5
RECOVERY_SECONDS = 30.0  # As promised. With the short leases of the rig it takes about three; the figures say how long.
LONG_SILENCE = 5.0  # After which the rig looks what the site is waiting for.
# How long a key may rest where its provider fails: an open breaker, and the waits between attempts.
BREAKER_SECONDS = 25.0


@dataclass
class Strike:
    """One injected fault. doomed: leases it ended, as (run, fence); seconds: until the site went on, in usual ones.

    standing: the state of the site, if that took long.
    """

    kind: str
    kills: int = 0
    doomed: list[tuple[int, int]] = field(default_factory=list)
    at: float = field(default_factory=time.time)
    seconds: float | None = None
    standing: str = ""


class Nemesis:
    def __init__(self, site, seed, faults, *, spell, tools):
        self.site = site
        self.rng = random.Random(seed)
        self.spell = spell
        self.tools = tools
        self.strikes = []
        self.choices = [choice for name in faults for choice in FAULTS.get(name, ())]

    def strike(self):
        """Wait a random moment of play, let something happen, repair it, and measure until the site goes on."""
        site = self.site
        plays = lambda: bool(site.holders()) or not site.periods_left()  # noqa: E731
        self._until(plays, HOLDING_SECONDS)
        time.sleep(self.rng.uniform(0.0, LONGEST_WAIT))
        choice = self.rng.choices(self.choices, [weight for _, weight in self.choices])[0][0]
        strike = Strike(choice.__name__)
        choice(self, strike)
        self.strikes.append(strike)
        before, silence = site.progress(), Patience(LONG_SILENCE)

        def went_on():
            if not strike.standing and silence.is_over():
                strike.standing = site.standing()
            return site.progress() > before or not site.periods_left()

        strike.seconds = self._until(went_on, 2 * RECOVERY_SECONDS)
        site.bury()
        return strike

    def _until(self, done, limit):
        """The usual seconds until something is done; None if that takes longer than the limit."""
        left = Patience(limit)
        while not done():
            if left.is_over():
                return None
            self.site.revive()
            time.sleep(0.02)
        return left.spent

    def victim(self):
        """A random worker among those that hold runs."""
        return self.rng.choice(sorted(self.site.holders()) or sorted(self.site.workers))

    def held(self):
        """The leases of all workers, as (run, fence)."""
        return [lease for pid in self.site.workers for lease in self.site.held_by(pid)]

    def set_clock(self, offset):
        """Returns the leases that this may have ended, also those that were taken a moment before."""
        before = self.held()
        self.tools.change_clock(offset)
        return sorted({*before, *self.held()})

    def kill(self, strike, pid, *, group):
        self.site.kill_worker(pid, group=group)
        strike.doomed += self.site.held_by(pid)
        strike.kills += 1
        self.site.start_worker()


def kill_worker(nemesis, strike):
    nemesis.kill(strike, nemesis.victim(), group=False)


def kill_group(nemesis, strike):
    nemesis.kill(strike, nemesis.victim(), group=True)


def kill_everybody(nemesis, strike):
    for pid in sorted(nemesis.site.workers):
        nemesis.kill(strike, pid, group=True)


def kill_with_broker(nemesis, strike):
    # The worker that comes next finds no broker and starts one of its own, which dies with it.
    nemesis.site.kill_broker()
    nemesis.kill(strike, nemesis.victim(), group=True)


def kill_again(nemesis, strike):
    """A second kill while the next worker is recovering from the first."""
    nemesis.kill(strike, nemesis.victim(), group=True)
    time.sleep(LEASE_SECONDS + nemesis.rng.uniform(0.0, SWEEP_SECONDS))
    nemesis.kill(strike, nemesis.victim(), group=True)


def stop_for_longer_than_a_lease(nemesis, strike):
    pid = nemesis.victim()
    os.killpg(pid, signal.SIGSTOP)
    strike.doomed += nemesis.site.held_by(pid)
    time.sleep(LEASE_SECONDS + nemesis.rng.uniform(1.0, 2.5))
    os.killpg(pid, signal.SIGCONT)


def lose_the_broker(nemesis, strike):
    nemesis.site.kill_broker()
    time.sleep(nemesis.rng.uniform(0.0, 2.0))
    nemesis.site.start_broker()


def lose_the_messages(nemesis, strike):
    with suppress(redis.RedisError):
        nemesis.site.messages.flushall()


def deliver_ten_times(nemesis, strike):
    """Every message that waits, and the first one that does, is there ten times."""
    left = Patience(2.0)
    while not left.is_over():
        with suppress(redis.RedisError):
            waiting = nemesis.site.messages.lrange(QUEUE, 0, -1)
            for message in waiting:
                nemesis.site.messages.rpush(QUEUE, *[message] * (COPIES - 1))
            if waiting:
                return
        time.sleep(0.005)


def lock_or_restart_the_database(nemesis, strike):
    cluster = nemesis.site.stage.cluster
    if cluster is not None:
        held = nemesis.held()
        began = time.monotonic()
        cluster.crash()
        time.sleep(nemesis.rng.uniform(0.0, 2.0))
        cluster.start()
        # Leases are renewed each third of their time, so the oldest leases expire while renewing is impossible.
        if time.monotonic() - began > LEASE_SECONDS * 2 / 3:
            strike.doomed += held
    else:
        breakage.hold_the_lock(nemesis.site.stage.database, nemesis.spell)


def fill_the_disk(nemesis, strike):
    nemesis.tools.fill_disk(nemesis.site.stage.folder, nemesis.rng.uniform(1.0, 4.0))


def change_the_clock(nemesis, strike):
    strike.doomed += nemesis.set_clock(nemesis.rng.choice(("+2h", "-2h", "+0")))


def kill_the_web(nemesis, strike):
    nemesis.tools.kill_web(nemesis.site)


FAULTS = {
    "kill": ((kill_worker, 8), (kill_group, 4), (kill_everybody, 2), (kill_with_broker, 2), (kill_again, 1)),
    "stop": ((stop_for_longer_than_a_lease, 3),),
    "broker": ((lose_the_broker, 3), (lose_the_messages, 3), (deliver_ten_times, 3)),
    "database": ((lock_or_restart_the_database, 2),),
    "disk": ((fill_the_disk, 2),),
    "clock": ((change_the_clock, 2),),
    "web": ((kill_the_web, 2),),
}
