"""The table of rates by horizon beside the choice curves."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from analysis.base.published import patience_rates
from analysis.base.table import RunRecord
from environments.registry import GENERATION
from games.registry import LITMUS_CHARTS
from infrastructure.text.formats import percent, share

RateRow = tuple[str, bool, list[tuple[str, str]]]
"""(agent, is published, (rate, reliability) as text at each horizon)."""


@cache
def horizon_labels() -> list[str]:
    """The horizons of the standard instance of the chart of choice curves."""
    generation = GENERATION[LITMUS_CHARTS["patience"][0]]
    parameters, _ = generation.build(dict(generation.difficulties["STANDARD"]), 0, "published")
    return [horizon["label"] for horizon in parameters["horizons"]]


def rate_rows(runs: Sequence[RunRecord], labels: Sequence[str], with_published: bool) -> list[RateRow]:
    """The rows of rates: own ones, then those of the paper's table 5."""
    own = [
        (
            run.agent_name,
            False,
            [_rate_cell((run.metrics.get("by_horizon") or {}).get(label) or {}) for label in labels],
        )
        for run in runs
    ]
    printed = [
        (
            llm,
            True,
            [(percent(rates[label][0]), share(rates[label][1])) if label in rates else ("–", "") for label in labels],
        )
        for llm, rates in patience_rates().items()
        if with_published
    ]
    return [*own, *printed]


def _rate_cell(measured: dict[str, Any]) -> tuple[str, str]:
    if measured.get("reliability") is None:
        return "–", ""
    rate = measured.get("rate")
    return percent(rate) if rate is not None else measured.get("bound") or "no rate", share(measured["reliability"])
