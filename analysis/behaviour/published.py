"""Metrics printed in the papers. They are shown beside own means, never averaged with them, and enter no fitted line."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from analysis.base import published
from analysis.base.table import Kind
from analysis.behaviour.means import Means, Measured
from runs.catalog import catalog, release_dates

FILE = Path(__file__).with_name("published.json")


@cache
def published_means(environment: str) -> tuple[Means, ...]:
    """The models of the earlier papers with their metrics on each difficulty, and their scores from the newest paper."""
    scores = {
        (score.llm, score.difficulty): score.summary
        for score in published.benchmark_scores()
        if score.environment == environment
    }
    reasoning = {entry["name"] for entry in catalog()["llms"] if entry["reasoning"]}
    return tuple(
        Means(
            agent_id=None,
            slug="",
            name=model,
            model=model,
            kind=Kind.PUBLISHED,
            reasoning=model in reasoning,
            released=release_dates()[model],
            difficulty=difficulty,
            score=None if summary.mean is None else 100 * summary.mean,
            runs=summary.n,
            measured={key: Measured(percent, summary.n) for key, percent in by_metric.items()},
        )
        for (model, difficulty), by_metric in printed_metrics(environment).items()
        for summary in [scores[model, difficulty]]
    )


def printed_metrics(environment: str) -> dict[tuple[str, str], dict[str, float]]:
    """Printed metrics in percent by (model, difficulty). Of two prints of a rate, that with more digits is taken."""
    content: Any = json.loads(FILE.read_text(encoding="utf-8"))
    printed: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (model, of, difficulty), percent in published.exploration_rates().items():
        if of == environment:
            printed[model, difficulty]["exploration_rate"] = percent
    for model, row in content["rows"].items():
        values = zip(content["columns"], row, strict=True)
        if by_metric := {key: percent for (of, key), percent in values if of == environment}:
            printed[model, content["difficulty"]] |= by_metric
    return dict(printed)
