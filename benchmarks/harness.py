"""Helpers of several benchmarks: the folder of the code, variables of a site, time that was spent, and Markdown tables."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec

Parameters = ParamSpec("Parameters")
Rows = Iterator[Iterable[str]]
"""The rows of a table, without its head."""

ROOT = Path(__file__).resolve().parent.parent
OWN = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEBUG"}
"""Environment variables of this process that a measured site must not inherit."""


def site_variables(folder: Path | str, **more: str) -> dict[str, str]:
    """Return the environment variables for a process of a site whose data are in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    return kept | {"ECONEVALS_DATA_DIR": str(folder)} | more


@dataclass
class Spent:
    """seconds: wall time; processor: processor seconds"""

    seconds: float = 0.0
    processor: float = 0.0


@contextmanager
def spending(processor: Callable[[], float] = time.process_time) -> Iterator[Spent]:
    """Measure a block. The values are set at its end. `processor` reads the processor seconds, by default of this process."""
    spent = Spent()
    started, before = time.perf_counter(), processor()
    yield spent
    spent.seconds, spent.processor = time.perf_counter() - started, processor() - before


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def prints(
    title: str, *head: str
) -> Callable[[Callable[Parameters, Iterable[Iterable[str]]]], Callable[Parameters, None]]:
    """Decorate a generator of rows, so that a call of it prints a Markdown table."""

    def decorate(rows: Callable[Parameters, Iterable[Iterable[str]]]) -> Callable[Parameters, None]:
        @wraps(rows)
        def print_table(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
            print(f"\n{title}\n")
            for line in table(head, rows(*arguments, **options)):
                print(line, flush=True)

        print_table.is_measurement = True  # type: ignore[attr-defined]
        return print_table

    return decorate


def share(part: float, whole: float, digits: int = 1) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else "–"


def rate(hits: Iterable[object]) -> str:
    """Return the share of values that are true."""
    values = [bool(hit) for hit in hits]
    return share(sum(values), len(values))
