"""Results printed in the paper, to be shown beside own rows and never averaged with them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from analysis.statistics import Summary

FILE = Path(__file__).with_name("published.json")


@dataclass(frozen=True)
class PublishedScore:
    """One cell of the paper's table of benchmark scores; the mean is a share, its error is not printed."""

    llm: str
    environment: str
    difficulty: str
    summary: Summary


@cache
def _content() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


def source() -> str:
    return str(_content()["source"])


@cache
def benchmark_scores() -> tuple[PublishedScore, ...]:
    benchmarks = _content()["benchmarks"]
    return tuple(_published_scores(benchmarks["scores"], benchmarks["instances"]))


def _published_scores(rows: Iterable[dict[str, Any]], n: int) -> Iterable[PublishedScore]:
    for row in rows:
        # Printed with one decimal: dividing and rounding keeps what was printed.
        summary = Summary(round(row["score"] / 100, 3), None, n, n, row["solved"])
        yield PublishedScore(row["llm"], row["environment"], row["difficulty"], summary)
