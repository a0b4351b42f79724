"""Estimate and outcome of a launch, once all its runs have finished."""

from typing import Any

from django.db.models import Max, Min, Sum

from infrastructure.money import NANO, usd
from infrastructure.text.formats import compact, duration, money, reach
from runs.models import Experiment, Run
from runs.selectors.progress import Progress

MUCH = 2.0
"""Ratio from which a multiple is shown instead of a percentage."""


def comparisons(experiment: Experiment, progress: Progress) -> list[tuple[str, ...]]:
    """(title, expected, range, actual, difference) in words of cost, tokens and time.

    Empty until all runs have finished, or if no model was called.
    """
    estimated = experiment.estimate
    if not estimated or not estimated["calls"] or progress.finished != progress.total:
        return []
    took = Run.objects.filter(experiment=experiment).aggregate(
        input=Sum("input_tokens"), output=Sum("output_tokens"), first=Min("started_at"), last=Max("ended_at")
    )
    seconds = (took["last"] - took["first"]).total_seconds() if took["first"] and took["last"] else None
    figures: list[tuple[str, dict[str, float] | None, float | None, Any]] = [
        ("Cost", estimated["cost_usd"], usd(experiment.cost_nano), lambda dollars: money(round(dollars * NANO))),
        ("Input tokens", estimated["input_tokens_range"], took["input"], compact),
        ("Output tokens", estimated["output_tokens_range"], took["output"], compact),
        ("Time", estimated["seconds"], seconds, duration),
    ]
    return [
        (
            title,
            written(spread["expected"]),
            reach(written(spread["low"]), written(spread["high"])),
            written(actual),
            off(spread["expected"], actual),
        )
        for title, spread, actual, written in figures
        if spread is not None and actual is not None
    ]


def off(expected: float, actual: float) -> str:
    """How much the actual figure is: '12 % less', '40 % more', '3.5 times as much', 'as expected'."""
    if not expected:
        return "as expected" if not actual else "more"
    ratio = actual / expected
    percent = round(100 * abs(ratio - 1))
    if not percent:
        return "as expected"
    if ratio >= MUCH:
        return f"{ratio:,.1f} times as much"
    return f"{percent} % {'more' if ratio > 1 else 'less'}"
