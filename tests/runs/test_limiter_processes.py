"""The limiter of a provider key shared by several processes."""

import multiprocessing
import threading
import time
from contextlib import suppress

import pytest

from limiter import CallResult, Held, Limiter, Limits
from tests.runs.limiter_server import ANY, KEY, crowd, fail, impatient, now

fork = multiprocessing.get_context("fork")
"""This tests that a fork gets its own connections and locks. No process of the site forks while it has threads."""

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


class Gauge:
    """Calls in flight, counted over processes by what they really do: of all, the most at once, and by process."""

    def __init__(self):
        self.values = fork.Array("i", [0] * 4)

    def call(self, process, seconds):
        with self.values.get_lock():
            self.values[0] += 1
            self.values[1] = max(self.values[0], self.values[1])
            self.values[2 + process] += 1
        time.sleep(seconds)
        with self.values.get_lock():
            self.values[0] -= 1


@pytest.fixture
def start():
    """Run something in a process of its own."""
    processes = []

    def start(act, *values):
        processes.append(fork.Process(target=act, args=values, daemon=True))
        processes[-1].start()
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.join()


def play(limiter, gauge, process, limits, outcome, call_seconds, seconds=0.0):
    """Forty threads make calls, each at least one, until the seconds are over or none may start."""
    over = time.monotonic() + seconds

    def calls():
        with suppress(Held):
            while True:
                slot = limiter.acquire(KEY, limits, 0, lambda: seconds > 0 and time.monotonic() > over)
                gauge.call(process, call_seconds)
                slot.done(outcome)
                if time.monotonic() >= over:
                    return

    for thread in crowd(40, calls):
        thread.join()


@pytest.mark.long
@pytest.mark.parametrize("concurrency", [1, 6])
def test_two_processes_of_forty_threads_keep_to_the_limit_and_both_get_on(limiter, start, concurrency):
    gauge, limits = Gauge(), Limits(concurrency=concurrency)
    for process in [start(play, limiter, gauge, number, limits, CallResult.OK, 0.02, 2.0) for number in range(2)]:
        process.join(30)
    inside, most, first, second = gauge.values
    assert (inside, most) == (0, concurrency)
    assert min(first, second) > 0.15 * (first + second)
    assert now(limiter).in_flight == 0


def test_exactly_one_call_over_all_processes_tries_a_failed_endpoint(server, start):
    limiter, gauge = impatient(server, open_seconds=1.0, patience_seconds=0.5, short_hold_seconds=2.0), Gauge()
    fail(limiter, 10)
    for process in [start(play, limiter, gauge, number, ANY, CallResult.FAILED, 3.0) for number in range(2)]:
        process.join(30)
    assert gauge.values[1] == gauge.values[2] + gauge.values[3] == 1
    assert 0 < now(limiter).held_for <= 2


def test_a_forked_process_has_its_own_queue(server, start):
    limiter, done = Limiter(server.url), fork.Event()
    limits = Limits(concurrency=1)
    slot = limiter.acquire(KEY, limits)
    waiting = threading.Thread(target=lambda: limiter.acquire(KEY, limits).done(CallResult.OK))
    waiting.start()

    def ask():
        limiter.acquire(KEY, limits).done(CallResult.OK)
        done.set()

    start(ask)
    assert not done.wait(0.3)
    slot.done(CallResult.OK)
    assert done.wait(30)
    waiting.join(30)
