"""The speed of the machine while a circle of tests runs, by which its budget is scaled."""

import statistics
import threading
import time

LOOP = compile("s = 0\nfor i in range(3_000_000): s += i", "loop", "exec")
USUAL_SECONDS = 0.25
"""Processor time of the loop at usual speed, outside of a function, where Python takes twice as long."""


class Speed:
    """Measures the machine again and again while other processes work. `scale`: 1 at usual speed, 2 where all takes twice."""

    def __init__(self, every: float = 20.0):
        self._every, self._seconds, self._ended = every, [_seconds()], threading.Event()

    def __enter__(self) -> "Speed":
        self._thread = threading.Thread(target=self._measure, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _measure(self) -> None:
        while not self._ended.wait(self._every):
            self._seconds.append(_seconds())

    @property
    def additions(self) -> float:
        """Processor seconds of the loop."""
        return statistics.median(self._seconds)

    @property
    def scale(self) -> float:
        return self.additions / USUAL_SECONDS


def _seconds() -> float:
    began = time.thread_time()
    exec(LOOP, {})
    return time.thread_time() - began
