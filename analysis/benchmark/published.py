"""Results printed in the paper. They are shown beside own rows and never averaged with them."""

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
    """One cell of the paper's table of benchmark scores. The mean is a share; the paper prints no error."""

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
        # The paper prints one decimal; rounding removes the error of the division.
        summary = Summary(round(row["score"] / 100, 3), None, n, n, row["solved"])
        yield PublishedScore(row["llm"], row["environment"], row["difficulty"], summary)


@dataclass(frozen=True)
class PublishedLitmus:
    """One model's scores in one test. A patience rate is a share a year; `converged` is printed as '2/3'."""

    llm: str
    test: str
    litmus: float
    competency: float | None
    reliability: float | None
    converged: str = ""


@dataclass(frozen=True)
class PublishedRate:
    """One model's rate, a share a year, at one horizon (table 5)."""

    llm: str
    horizon: str
    rate: float
    reliability: float


@cache
def litmus_scores() -> tuple[PublishedLitmus, ...]:
    return tuple(map(_litmus, _content()["litmus"]["scores"]))


def _litmus(row: dict[str, Any]) -> PublishedLitmus:
    # The paper prints percent with one decimal; rounding removes the error of the division.
    value = round(row["litmus_percent"] / 100, 3) if "litmus_percent" in row else row["litmus"]
    competency, converged = row["competency"], ""
    if isinstance(competency, str):
        converged = competency
        hits, runs = competency.split("/")
        competency = int(hits) / int(runs)
    return PublishedLitmus(row["llm"], row["litmus_test"], value, competency, row["reliability"], converged)


@cache
def patience_rates() -> tuple[PublishedRate, ...]:
    rows = _content()["patience_by_horizon"]["scores"]
    return tuple(
        PublishedRate(row["llm"], row["horizon"], round(row["litmus_percent"] / 100, 3), row["reliability"])
        for row in rows
    )
