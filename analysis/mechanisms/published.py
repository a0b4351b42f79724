"""Metrics printed in the papers. They are shown beside own means, never averaged with them and in no line."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from analysis.base.table import Kind
from analysis.benchmark import published
from analysis.mechanisms.means import Means, Measured
from runs.catalog import catalog, release_dates

FILE = Path(__file__).with_name("published.json")


@cache
def published_means(environment: str) -> tuple[Means, ...]:
    """The models of the earlier paper, with their scores of the newest one."""
    content: Any = json.loads(FILE.read_text(encoding="utf-8"))
    measured: dict[str, dict[str, float]] = defaultdict(dict)
    for model, row in content["rows"].items():
        for (of_environment, key), percent in zip(content["columns"], row, strict=True):
            if of_environment == environment:
                measured[model][key] = percent
    scores = {
        score.llm: score.summary
        for score in published.benchmark_scores()
        if (score.environment, score.difficulty) == (environment, content["difficulty"])
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
            difficulty=content["difficulty"],
            score=None if scores[model].mean is None else 100 * (scores[model].mean or 0.0),
            runs=scores[model].n,
            measured={key: Measured(percent, scores[model].n) for key, percent in by_metric.items()},
        )
        for model, by_metric in measured.items()
    )
