"""Means of scores and metrics by agent and difficulty, and lines through them. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from analysis.base.table import Kind, grouped
from analysis.figures.mechanisms.registry import Metric
from stats.fits import Fit, fit

YEAR = 365.25


@dataclass(frozen=True)
class Measured:
    """The mean of a metric in percent, over the n runs that have it."""

    percent: float
    n: int


@dataclass(frozen=True)
class Means:
    """One agent on one difficulty. Published means have no id and no slug.

    score: mean over its `runs` finished runs, in points; None for a published model whose score was not printed
    measured: by the metric's key; a metric that no run has is missing
    """

    agent_id: int | None
    slug: str
    name: str
    kind: Kind
    reasoning: bool
    released: date | None
    difficulty: str
    score: float | None
    runs: int
    measured: Mapping[str, Measured] = field(default_factory=dict)

    def rests_on(self, metric: Metric) -> str:
        """How many runs the metric's mean rests on, if not on all; empty otherwise."""
        found = self.measured.get(metric.key)
        return "" if found is None or found.n == self.runs else f"{found.n:,} of {self.runs:,} runs"


def on(means: Sequence[Means], difficulty: str, metric: Metric, *, published: bool = False) -> list[Means]:
    """The agents with this metric and a score on one difficulty: our own, or the published ones."""
    return [
        one
        for one in means
        if one.difficulty == difficulty and metric.key in one.measured and one.score is not None
        and (one.kind == Kind.PUBLISHED) is published
    ]  # fmt: skip


def score_fit(means: Sequence[Means], difficulty: str, metric: Metric) -> Fit | str:
    """Points of score on percent of the metric, through a point for each agent. Published means are left out."""
    found = on(means, difficulty, metric)
    return fit([one.measured[metric.key].percent for one in found], [one.score or 0.0 for one in found])


def released_models(means: Sequence[Means], difficulty: str, metric: Metric, *, published: bool = False) -> list[Means]:
    """Reasoning models with a release date."""
    found = on(means, difficulty, metric, published=published)
    return [one for one in found if one.reasoning and one.released is not None]


def release_fit(means: Sequence[Means], difficulty: str, metric: Metric) -> Fit | str:
    """Percent of the metric on the release date, in years since 1970. Published means are left out."""
    found = released_models(means, difficulty, metric)
    return fit(
        [years(one.released) for one in found if one.released], [one.measured[metric.key].percent for one in found]
    )


def years(day: date) -> float:
    return (day - date(1970, 1, 1)).days / YEAR


def by_agent(means: Sequence[Means]) -> list[tuple[Means, Mapping[str, Means]]]:
    """Rows of a table: one of an agent's means for its name, and all of them by difficulty. Published rows come last."""
    rows = grouped(means, lambda one: (one.agent_id, one.name), lambda one: one.difficulty)
    found = [(next(iter(row.values()))[0], {key: same[0] for key, same in row.items()}) for row in rows.values()]
    return sorted(found, key=lambda row: (row[0].kind == Kind.PUBLISHED, row[0].name.casefold()))
