from collections.abc import Iterable
from datetime import date
from typing import Any

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.hidden import hidden_runs
from analysis.mechanisms.means import FitRow, Means, fit_rows, reasoning_tests
from analysis.mechanisms.pairs import PairGrid
from analysis.mechanisms.selectors import filter_of_environment, grid_of, means_of
from api.schemas.base import Out
from api.schemas.leaderboards.hidden import HiddenOut
from games.registry import parts_of
from stats.fits import Fit
from stats.pairwise import Welch


class PairTestOut(Out):
    """Wilcoxon's signed-rank test of two agents, over the instances that both finished, in points of 100."""

    first: str
    second: str
    difficulty: str
    """The difficulty; `all` if difficulties are pooled."""
    n: int
    """Number of instances that both agents finished."""
    zeros: int
    """Number of instances with equal scores. The test leaves them out."""
    difference: float | None
    """The mean of the first agent's score minus the second's."""
    effect: float | None
    """Matched-pairs rank-biserial correlation, from -1 to 1."""
    p: float | None
    """Two-sided p; null for fewer than six differences other than zero."""
    adjusted_p: float | None
    """p by Holm's method over the pairs of this environment and difficulty."""


class ConsistencyOut(Out):
    """The agreement of the tests of two agents over the difficulties."""

    first: str
    second: str
    significant: int
    """Number of difficulties on which the test is significant at the 5 % level."""
    majority: int
    """Number of significant tests that have the majority's direction."""


class WelchOut(Out):
    """Welch's test of two groups. Numbers are null if `sentence` says why there is no test."""

    first_mean: float | None = None
    second_mean: float | None = None
    first_n: int | None = None
    second_n: int | None = None
    t: float | None = None
    degrees: float | None = None
    p: float | None = None
    adjusted_p: float | None = None
    """p by Holm's method over the tests of its list."""
    sentence: str = ""

    @staticmethod
    def about(test: Welch | str, **about: Any) -> dict[str, Any]:
        return vars(test) | about if isinstance(test, Welch) else about | {"sentence": test}


class ChangeOut(WelchOut):
    """One agent's scores on the easiest difficulty (first) and on the hardest."""

    agent: str


class ReasoningOut(WelchOut):
    """Reasoning models (second) against other models. Each model has one value: percent of a metric or points of score."""

    metric: str
    difficulty: str


class MetricMeanOut(Out):
    """One agent's mean of a metric on a difficulty, over its finished runs."""

    metric: str
    difficulty: str
    agent: str
    kind: str
    reasoning: bool
    released: date | None
    percent: float
    metric_runs: int
    """Number of runs that have the metric."""
    score: float | None
    """Mean score of these runs in points of 100."""
    runs: int


class LineOut(Out):
    """Least-squares line with one point for each model, the mean of its agents. Null if `sentence` says why there is none."""

    metric: str
    unit: str
    """Two-sided p of the slope."""
    difficulty: str
    slope: float | None = None
    r_squared: float | None = None
    p: float | None = None
    n: int | None = None
    sentence: str = ""


class EnvironmentMechanismsOut(Out):
    environment: str
    pairs: list[PairTestOut]
    consistency: list[ConsistencyOut]
    changes: list[ChangeOut]
    metrics: list[MetricMeanOut]
    reasoning: list[ReasoningOut]
    """Tests of the metrics and of the score that figure 8 of the paper shows; empty in other environments."""
    lines: list[LineOut]


class MechanismsOut(Out):
    environments: list[EnvironmentMechanismsOut]
    hidden: HiddenOut


def mechanisms_out(organization: Organization, table_filter: TableFilter) -> dict[str, Any]:
    """The answer about mechanisms. It takes two database queries for each chosen environment, and one more."""
    return {
        "environments": [_environment(organization, table_filter, name) for name in table_filter.environments],
        "hidden": HiddenOut.values(hidden_runs(organization=organization, run_filter=table_filter)),
    }


def _environment(organization: Organization, table_filter: TableFilter, name: str) -> dict[str, Any]:
    alone = filter_of_environment(table_filter, name)
    means, metrics = means_of(organization=organization, table_filter=alone), parts_of(name).metrics
    grid = grid_of(organization=organization, table_filter=alone)
    return {
        "environment": name,
        "pairs": list(_tests(grid)),
        "consistency": [
            dict(zip(("majority", "significant"), pair.consistency(), strict=True))
            | {"first": pair.first.name, "second": pair.second.name}
            for pair in grid.pairs
        ],
        "changes": [WelchOut.about(change.test, agent=change.player.name) for change in grid.changes],
        "metrics": [_mean(row, metric.key) for metric in metrics for row in means if metric.key in row.measured],
        "reasoning": [
            WelchOut.about(row.test, metric=row.metric.key, difficulty=row.difficulty)
            for row in reasoning_tests(means, metrics, alone.difficulties)
        ],
        "lines": [_line(row) for row in fit_rows(means, metrics, alone.difficulties)],
    }


def _tests(grid: PairGrid) -> Iterable[dict[str, Any]]:
    for pair in grid.pairs:
        for key, test in pair.tests.items():
            names = {"first": pair.first.name, "second": pair.second.name, "difficulty": key or "all"}
            yield PairTestOut.from_row(test, **names)


def _mean(means: Means, key: str) -> dict[str, Any]:
    measured = {"percent": means.measured[key].percent, "metric_runs": means.measured[key].n}
    return MetricMeanOut.from_row(means, metric=key, agent=means.name, **measured)


def _line(row: FitRow) -> dict[str, Any]:
    about = {"metric": row.metric, "unit": row.of, "difficulty": row.difficulty, "sentence": ""}
    if isinstance(row.line, Fit):
        return LineOut.from_row(row.line, **about)
    return about | {"sentence": row.line}
