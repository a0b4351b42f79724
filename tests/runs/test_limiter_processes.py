"""The limiter of a provider key shared by several processes."""

import multiprocessing
import threading
import time
from contextlib import suppress

import pytest

from infrastructure.limiter import CallResult, Held, Limits
from tests.runs.limiter_server import ANY, KEY, crowd, fail, impatient, now, patient
from tests.waiting import patience, wait_until

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


def play(limiter, gauge, process, limits, outcome, call_seconds, over=None):
    """Forty threads make calls, each at least one, until it is over or none may start."""

    def calls():
        with suppress(Held):
            while True:
                slot = limiter.acquire(KEY, limits, 0, over and over.is_set)
                gauge.call(process, call_seconds)
                slot.done(outcome)
                if over is None or over.is_set():
                    return

    for thread in crowd(40, calls):
        thread.join()


@pytest.mark.long
@pytest.mark.parametrize("concurrency", [1, 6])
def test_two_processes_of_forty_threads_respect_the_limit_and_both_progress(server, start, concurrency):
    limiter, gauge, limits, over = patient(server), Gauge(), Limits(concurrency=concurrency), fork.Event()
    processes = [start(play, limiter, gauge, number, limits, CallResult.OK, 0.02, over) for number in range(2)]
    # A process that the other one starves would never come to its twenty-five.
    wait_until(lambda: min(gauge.values[2:]) >= 25, lambda: f"Calls: {gauge.values[2:]}")
    over.set()
    for process in processes:
        process.join(patience())
    assert gauge.values[:2] == [0, concurrency]
    assert now(limiter).in_flight == 0


@pytest.mark.long
def test_a_failed_endpoint_gets_a_single_probe_over_all_processes(server, start):
    limiter, gauge = impatient(server, open_seconds=100, patience_seconds=0.5), Gauge()
    fail(limiter, 10)
    server.let_time_pass()
    for process in [start(play, limiter, gauge, number, ANY, CallResult.FAILED, 3.0) for number in range(2)]:
        process.join(patience())
    assert gauge.values[1] == gauge.values[2] + gauge.values[3] == 1
    assert 100 < now(limiter).held_for <= 200


@pytest.mark.long
def test_a_forked_process_has_its_own_queue_of_calls(server, start):
    limiter, done = patient(server), fork.Event()
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
    assert done.wait(patience())
    waiting.join(patience())
