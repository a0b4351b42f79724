"""How much processor time a circle of tests may take on this machine."""

import statistics
import threading
import time

ADDITIONS = 3_000_000
USUAL_SECONDS = 0.25
"""Processor time of ADDITIONS at usual speed. Budgets are meant for it, and are scaled on quicker and slower machines."""


def additions_seconds():
    """Processor time that ADDITIONS take now."""
    began = time.thread_time()
    total = 0
    for number in range(ADDITIONS):
        total += number
    return time.thread_time() - began


class Speed:
    """Measures the machine again and again while other processes work. `scale`: 1 at usual speed, 2 where all takes twice."""

    def __init__(self, every=10.0):
        self.every, self.seconds, self.ended = every, [additions_seconds()], threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self._measure, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _measure(self):
        while not self.ended.wait(self.every):
            self.seconds.append(additions_seconds())

    @property
    def additions(self):
        return statistics.median(self.seconds)

    @property
    def scale(self):
        return self.additions / USUAL_SECONDS
