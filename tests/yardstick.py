"""CPU time compared with a loop of additions at the same moment, so that limits hold on machines of any speed."""

import gc
import time
from collections.abc import Callable
from typing import Any, TypeVar

USUAL = 25_000_000
"""Additions in a function that a machine of usual speed makes in a second."""

LOOP = 200_000
"""Additions of the loop beside what is measured."""

TRIES = 3
"""What takes long takes it thrice; a neighbour on the same core may slow one try."""

LEAST = LOOP / 10
"""Additions below which a time is mostly chance."""

Result = TypeVar("Result")


def within(additions: float, work: Callable[[], Result], *, clock: Callable[[], float] = time.process_time) -> Result:
    """Do some work and return its result. AssertionError if every attempt takes longer than the given additions.

    clock: the CPU seconds of the working process
    """
    taken = []
    for _ in range(TRIES):
        count, result = _additions(work, clock)
        taken.append(count)
        if count < additions:
            return result
    raise AssertionError(f"It takes as long as {min(taken):,.0f} additions, and {additions:,.0f} are allowed.")


def times_as_long(work: Callable[[], Any], other: Callable[[], Any]) -> float:
    """How many times as long as other work some work takes."""
    least = max(LEAST, _additions(other)[0])
    return _additions(work)[0] / least


def grows_linearly(work: Callable[[int], Any], length: int) -> bool:
    """Whether work of a length takes less than ten times as long as work of a quarter; quadratic work takes sixteen."""
    return any(times_as_long(lambda: work(length), lambda: work(length // 4)) < 10 for _ in range(TRIES))


def _additions(work: Callable[[], Result], clock: Callable[[], float] = time.process_time) -> tuple[float, Result]:
    """How many additions take as long as the work, measured before and after it; and the work's result."""
    # A collection of the garbage of thousands of tests would be counted with the work.
    gc.disable()
    try:
        before, _ = _seconds(_loop)
        seconds, result = _seconds(work, clock)
        after, _ = _seconds(_loop)
    finally:
        gc.enable()
    return LOOP * 2 * seconds / (before + after), result


def _seconds(work: Callable[[], Result], clock: Callable[[], float] = time.process_time) -> tuple[float, Result]:
    started = clock()
    result = work()
    return clock() - started, result


def _loop() -> None:
    add(LOOP)


def add(additions: int) -> None:
    """The work by which machines are compared."""
    total = 0
    for number in range(additions):
        total += number
