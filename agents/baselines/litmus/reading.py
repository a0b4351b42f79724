"""Parsers for the text answers of the litmus tests' tools."""

from __future__ import annotations

import re
from typing import NamedTuple

_JOB = re.compile(
    r"^Worker (\w+) did Task \w+ \(size (\d+)\) and was paid \$([\d.]+)\. .*? the company earned \$([\d.]+) in revenue\. "
    r"Worker \w+'s total pay so far is \$([\d.]+)\.$",
    re.MULTILINE,
)
_TASK = re.compile(r"^Task (\w+) size = (\d+)$", re.MULTILINE)


class Job(NamedTuple):
    """One task done; `total_pay` is the worker's after it."""

    worker: str
    size: int
    pay: float
    revenue: float
    total_pay: float


def jobs(history: str) -> list[Job]:
    """Every task done so far, in order."""
    return [
        Job(worker, int(size), float(pay), float(revenue), float(total))
        for worker, size, pay, revenue, total in _JOB.findall(history)
    ]


def task_sizes(text: str) -> dict[str, int]:
    """The tasks of the current period with their sizes, in the order given."""
    return {task: int(size) for task, size in _TASK.findall(text)}


def rival_price(history: str) -> float | None:
    """The last price of the competitor, at the end of the history; None in the first period or without competitor."""
    return float(history.rpartition("Price: ")[2]) if "\nCompetitor 1's previous" in history else None
