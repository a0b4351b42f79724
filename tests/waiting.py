"""Waiting: the common patience of all tests, in seconds of a machine of usual speed; longer on a slower machine."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from tests.yardstick import USUAL, add

PATIENCE = 120.0
"""Usual seconds. Nobody waits for them where things work, so they are many."""

LOOK_SECONDS = 2.0
"""Wall seconds between two measurements of the machine. Each takes about a hundredth of that."""

ADDITIONS = 300_000
HEADROOM = 2.0

Seen = TypeVar("Seen")


def slowness() -> float:
    """How many times as long as usual this machine takes just now, with everything that runs on it; at least 1."""
    return _slowness_in(int(time.monotonic() / LOOK_SECONDS))


@lru_cache(maxsize=1)
def _slowness_in(look: int) -> float:
    started = time.monotonic()
    add(ADDITIONS)
    return max(1.0, (time.monotonic() - started) * USUAL / ADDITIONS)


class Patience:
    """Ends after a number of usual seconds. The machine is measured repeatedly, because it may slow down."""

    def __init__(self, seconds: float = PATIENCE):
        self._seconds = seconds
        self._spent = 0.0
        self._since = time.monotonic()

    @property
    def spent(self) -> float:
        """Usual seconds so far."""
        passed = time.monotonic() - self._since
        if passed < 1:
            return self._spent + passed
        self._spent += passed / slowness()
        self._since += passed
        return self._spent

    def is_over(self) -> bool:
        return self.spent >= self._seconds


def patience(seconds: float = PATIENCE) -> float:
    """Wall seconds for a time-out that others count: of a subprocess, a socket, a browser.

    It is set before the wait begins, so it includes a reserve for a machine that slows down.
    """
    return HEADROOM * seconds * slowness()


def wait_until(
    condition: Callable[[], Seen], why: Callable[[], str], *, seconds: float = PATIENCE, every: float = 0.05
) -> Seen:
    """Evaluate a condition repeatedly until it holds, and return its value.

    AssertionError with the reason and what was seen last if the patience ends before.
    """
    left = Patience(seconds)
    while not (seen := condition()):
        assert not left.is_over(), f"{why()} (Seen last: {seen!r})"
        time.sleep(every)
    return seen


def took(act: Callable[[], object]) -> float:
    """The wall seconds of an act. A busy machine adds some, so tests ask only for the least."""
    started = time.monotonic()
    act()
    return time.monotonic() - started
