"""Helpers of several benchmarks: the folder of the code, environment variables of a site, and Markdown tables."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEBUG"}
"""Environment variables of this process that a measured site must not inherit."""


def site_variables(folder: Path | str, **more: str) -> dict[str, str]:
    """Return the environment variables for a process of a site whose data are in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    return kept | {"ECONEVALS_DATA_DIR": str(folder)} | more


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def print_table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    print(f"\n{title}\n")
    for line in table(head, rows):
        print(line, flush=True)


def share(part: int, whole: int, digits: int = 1) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else "–"
