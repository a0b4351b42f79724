"""Results printed in the paper. They are shown beside own rows and never averaged with them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stats.summaries import Summary

FILE = Path(__file__).with_name("published.json")


@dataclass(frozen=True)
class PublishedScore:
    """One cell of the paper's table of benchmark scores, or the score of a baseline.

    llm: name of the model or of the baseline
    summary: its mean is a share; the paper prints no error
    """

    llm: str
    environment: str
    difficulty: str
    summary: Summary


@cache
def _content() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def benchmark_scores() -> tuple[PublishedScore, ...]:
    benchmarks = _content()["benchmarks"]
    n = benchmarks["instances"]
    return tuple(
        PublishedScore(
            row["llm"], row["environment"], row["difficulty"], Summary(_share(row["score"]), None, n, n, row["solved"])
        )
        for row in (*benchmarks["scores"], *_content()["baselines"]["scores"])
    )


def _share(percent: float) -> float:
    """Percent as a share. The paper prints one decimal, so rounding only removes the floating-point error."""
    return round(percent / 100, 3)


@dataclass(frozen=True)
class PublishedLitmus:
    """The scores of one model or baseline in one test. A baseline has only a competency.

    A patience rate is a share a year.
    """

    llm: str
    test: str
    litmus: float | None
    competency: Summary
    reliability: float | None


@cache
def litmus_scores() -> tuple[PublishedLitmus, ...]:
    scores = []
    for row in (*_content()["litmus"]["scores"], *_content()["baselines"]["litmus"]):
        value = _share(row["litmus_percent"]) if "litmus_percent" in row else row["litmus"]
        competency = Summary(row["competency"], None, 0, 0)
        if isinstance(row["competency"], str):
            # The paper prints the runs that converged as "2/3".
            hits, runs = map(int, row["competency"].split("/"))
            competency = Summary(hits / runs, None, runs, runs, hits)
        scores.append(PublishedLitmus(row["llm"], row["litmus_test"], value, competency, row["reliability"]))
    return tuple(scores)


@cache
def patience_rates() -> dict[str, dict[str, tuple[float, float]]]:
    """Each model's (rate, reliability) by horizon (table 5). A rate is a share a year."""
    rates: dict[str, dict[str, tuple[float, float]]] = {}
    for row in _content()["patience_by_horizon"]["scores"]:
        rates.setdefault(row["llm"], {})[row["horizon"]] = _share(row["litmus_percent"]), row["reliability"]
    return rates
