"""Results printed in the papers. They are shown beside own rows and never averaged with them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from infrastructure.figures.colours import HOLLOW, AgentStyle, style_of_rank
from infrastructure.figures.theme import FAINT
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
def content() -> Any:
    """The printed numbers, by table. Each table has its source and a note about its units."""
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def benchmark_scores() -> tuple[PublishedScore, ...]:
    """Those of the newest paper, baselines included."""
    return _scores((*content()["benchmarks"]["scores"], *content()["baselines"]["scores"]))


@cache
def earlier_scores() -> tuple[PublishedScore, ...]:
    """Those of a model that only the earlier paper has."""
    return _scores(content()["earlier"]["benchmarks"]["scores"])


def _scores(rows: Iterable[Any]) -> tuple[PublishedScore, ...]:
    n = content()["benchmarks"]["instances"]
    return tuple(
        PublishedScore(
            row["llm"], row["environment"], row["difficulty"], Summary(_share(row["score"]), None, n, n, row["solved"])
        )
        for row in rows
    )


@cache
def published_style(name: str) -> AgentStyle:
    """The style of a published model or baseline, which is the same in every figure; hollow.

    name: as printed; names from other sources share a grey mark.
    """
    scored = [row.llm for row in (*benchmark_scores(), *earlier_scores())]
    names = list(dict.fromkeys([*scored, *(row.llm for row in litmus_scores())]))
    return style_of_rank(names.index(name), HOLLOW) if name in names else AgentStyle(FAINT, "circle-open")


@dataclass(frozen=True)
class PublishedPrompt:
    """A row of the table of prompts: one model under one prompt variant. The score and the exploration rate are shares."""

    llm: str
    environment: str
    difficulty: str
    variant: str
    score: float
    exploration_rate: float


@cache
def prompt_scores() -> tuple[PublishedPrompt, ...]:
    table = content()["prompts"]
    return tuple(
        PublishedPrompt(
            *(table["llm"], table["environment"], row["difficulty"], row["variant"]),
            _share(row["score"]),
            row["exploration_rate"],
        )
        for row in table["scores"]
    )


@cache
def exploration_rates() -> dict[tuple[str, str, str], float]:
    """Exploration rates in percent by (model, environment, difficulty), from the tables of prompts and of two models."""
    table = content()["earlier"]["exploration"]
    rates = {
        (row.llm, row.environment, row.difficulty): 100 * row.exploration_rate
        for row in prompt_scores()
        if row.variant == "main"
    }
    return rates | {
        (row["llm"], table["environment"], row["difficulty"]): row["exploration_percent"] for row in table["scores"]
    }


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
    for row in (*content()["litmus"]["scores"], *content()["baselines"]["litmus"]):
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
    for row in content()["patience_by_horizon"]["scores"]:
        rates.setdefault(row["llm"], {})[row["horizon"]] = _share(row["litmus_percent"]), row["reliability"]
    return rates
