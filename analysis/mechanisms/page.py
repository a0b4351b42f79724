"""Tables of the page of mechanisms, arranged from means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.base.table import Kind
from analysis.mechanisms.means import Means, Measured, by_agent, release_fit, score_fit
from games.parts import Metric
from stats.fits import Fit

SCORE_LINE = "points of score for each percentage point"
RELEASE_LINE = "percentage points a year, reasoning models"


@dataclass(frozen=True)
class MetricCell:
    """One agent's mean of a metric on a difficulty; `rests_on` is empty if all its runs have the metric."""

    measured: Measured | None
    rests_on: str
    address: str
    first: bool


@dataclass(frozen=True)
class MetricRow:
    name: str
    kind: Kind
    reasoning: bool
    cells: Sequence[MetricCell]


@dataclass(frozen=True)
class FitRow:
    """A line through the models of one panel, or the sentence that says why there is none. of: the unit of its slope"""

    metric: str
    of: str
    difficulty: str
    line: Fit | str


def metric_rows(
    means: Sequence[Means], metrics: Sequence[Metric], difficulties: Sequence[str], link: Callable[[Means], str]
) -> list[MetricRow]:
    """A row for each agent, with the difficulties of each metric beside each other.

    link: gives the address of the runs behind a mean
    """
    return [
        MetricRow(
            agent.name,
            agent.kind,
            agent.reasoning,
            [
                _cell(by_difficulty.get(difficulty), metric, link, index == 0)
                for metric in metrics
                for index, difficulty in enumerate(difficulties)
            ],
        )
        for agent, by_difficulty in by_agent(means)
    ]


def _cell(agent: Means | None, metric: Metric, link: Callable[[Means], str], first: bool) -> MetricCell:
    measured = agent.measured.get(metric.key) if agent else None
    if agent is None or measured is None:
        return MetricCell(None, "", "", first)
    return MetricCell(measured, agent.rests_on(metric), link(agent), first)


def fit_rows(means: Sequence[Means], metrics: Sequence[Metric], difficulties: Sequence[str]) -> list[FitRow]:
    rows = []
    for metric in metrics:
        rows += [FitRow(metric.title, SCORE_LINE, name, score_fit(means, name, metric)) for name in difficulties]
        if metric.by_release:
            rows += [
                FitRow(metric.title, RELEASE_LINE, name, release_fit(means, name, metric)) for name in difficulties
            ]
    return rows
