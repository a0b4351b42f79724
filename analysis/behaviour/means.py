"""Means of scores and metrics by agent and difficulty, fitted lines, and the tables of the page. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from statistics import fmean

from analysis.base.table import Kind, grouped
from games.parts import Metric
from infrastructure.text.formats import number
from infrastructure.text.tables import MISSING, Printed
from stats.lines.fits import Fit, fit
from stats.pairwise import Welch, welch_tests

YEAR = 365.25
SCORE = Metric("score", "Score", "points", "mean score of finished runs", "table 4")


@dataclass(frozen=True)
class Measured:
    """The mean of a metric in percent, over the `n` runs that have it."""

    percent: float
    n: int


@dataclass(frozen=True)
class Means:
    """One agent on one difficulty. Published means have no id and no slug.

    model: the name requested from the provider; agents with the same name are one model
    score: mean over its `runs` finished runs, in points; None for a published model whose score was not printed
    measured: means by the metric's key; a metric that no run has is missing
    """

    agent_id: int | None
    slug: str
    name: str
    model: str
    kind: Kind
    reasoning: bool
    released: date | None
    difficulty: str
    score: float | None
    runs: int
    measured: Mapping[str, Measured] = field(default_factory=dict)

    def rests_on(self, metric: Metric) -> str:
        """The number of runs behind the metric's mean, as text; empty if all runs have the metric."""
        measured = self.measured.get(metric.key)
        return "" if measured is None or measured.n == self.runs else f"{measured.n:,} of {self.runs:,} runs"


def with_metric(means: Sequence[Means], difficulty: str, metric: Metric, *, published: bool = False) -> list[Means]:
    """The agents with this metric and a score on one difficulty: either own ones or published ones."""
    return [
        agent
        for agent in means
        if agent.difficulty == difficulty and metric.key in agent.measured and agent.score is not None
        and (agent.kind == Kind.PUBLISHED) is published
    ]  # fmt: skip


def score_fit(means: Sequence[Means], difficulty: str, metric: Metric) -> Fit | str:
    """Regress points of score on percent of the metric, with one point per model. Published means are left out."""
    agents = with_metric(means, difficulty, metric)
    return _fit_of_models((agent, agent.measured[metric.key].percent, agent.score or 0.0) for agent in agents)


def released_models(means: Sequence[Means], difficulty: str, metric: Metric, *, published: bool = False) -> list[Means]:
    """Reasoning models with this metric, a score and a release date on one difficulty: own or published ones."""
    agents = with_metric(means, difficulty, metric, published=published)
    return [agent for agent in agents if agent.reasoning and agent.released is not None]


def release_fit(means: Sequence[Means], difficulty: str, metric: Metric) -> Fit | str:
    """Regress percent of the metric on the release date, in years since 1970. Published means are left out."""
    agents = released_models(means, difficulty, metric)
    return _fit_of_models(
        (agent, years(agent.released), agent.measured[metric.key].percent) for agent in agents if agent.released
    )


def _fit_of_models(agents: Iterable[tuple[Means, float, float]]) -> Fit | str:
    """Fit a line with one point per model, the mean of its agents, since runs of a model resemble each other.

    agents: (agent, x, y)
    """
    points: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for agent, x, y in agents:
        points[agent.model or agent.name].append((x, y))
    middles = [[fmean(values) for values in zip(*of_model, strict=True)] for of_model in points.values()]
    return fit([x for x, _ in middles], [y for _, y in middles])


@dataclass(frozen=True)
class ReasoningTest:
    """A test of reasoning models (second) against others (first) on one difficulty, or why there is none."""

    metric: Metric
    difficulty: str
    test: Welch | str


def reasoning_tests(
    means: Sequence[Means], metrics: Sequence[Metric], difficulties: Sequence[str]
) -> list[ReasoningTest]:
    """Tests in the metrics with `by_reasoning` and in the score, adjusted together; none without such a metric.

    Each model counts once, with the mean of its agents, since runs of a model resemble each other. Baselines are not
    models, and published means are left out.
    """
    compared = [metric for metric in metrics if metric.by_reasoning]
    rows = [(metric, difficulty) for metric in (*compared, SCORE) for difficulty in difficulties] if compared else []
    models = [agent for agent in means if agent.kind in (Kind.OWN, Kind.IMPORTED)]
    groups = [(_of_models(models, *row, reasoning=False), _of_models(models, *row, reasoning=True)) for row in rows]
    tests = welch_tests(groups, "models")
    return [ReasoningTest(*row, test) for row, test in zip(rows, tests, strict=True)]


def _of_models(agents: Sequence[Means], metric: Metric, difficulty: str, *, reasoning: bool) -> list[float]:
    """The mean value of each model that reasons or does not."""
    values: dict[str, list[float]] = defaultdict(list)
    for agent in agents:
        if (agent.difficulty, agent.reasoning) == (difficulty, reasoning) and (
            value := _value(agent, metric)
        ) is not None:
            values[agent.model or agent.name].append(value)
    return list(map(fmean, values.values()))


def _value(agent: Means, metric: Metric) -> float | None:
    measured = agent.measured.get(metric.key)
    return agent.score if metric is SCORE else measured.percent if measured else None


def years(day: date) -> float:
    return (day - date(1970, 1, 1)).days / YEAR


def by_agent(means: Sequence[Means]) -> list[tuple[Means, Mapping[str, Means]]]:
    """A table row for each agent, published ones last: (any of its means, its means by difficulty).

    Tables read the name of the agent from the first item.
    """
    groups = grouped(means, lambda agent: (agent.agent_id, agent.name), lambda agent: agent.difficulty)
    rows = [
        (next(iter(group.values()))[0], {difficulty: same[0] for difficulty, same in group.items()})
        for group in groups.values()
    ]
    return sorted(rows, key=lambda row: (row[0].kind == Kind.PUBLISHED, row[0].name.casefold()))


SCORE_LINE = "points of score for each percentage point"
RELEASE_LINE = "percentage points a year, reasoning models"


@dataclass(frozen=True)
class FitRow:
    """The line through the models of one panel, or a sentence why there is none. of: the unit of the slope"""

    metric: str
    of: str
    difficulty: str
    line: Fit | str


def metric_rows(
    means: Sequence[Means], metrics: Sequence[Metric], difficulties: Sequence[str], link: Callable[[Means], str]
) -> list[tuple[Means, list[Printed]]]:
    """A row for each agent, with the difficulties of each metric side by side.

    link: returns the address of the runs behind a mean
    """
    return [
        (
            agent,
            [
                _cell(by_difficulty.get(difficulty), metric, addresses, index == 0)
                for metric in metrics
                for index, difficulty in enumerate(difficulties)
            ],
        )
        for agent, by_difficulty in by_agent(means)
        for addresses in [{difficulty: link(mean) for difficulty, mean in by_difficulty.items()}]
    ]


def _cell(agent: Means | None, metric: Metric, addresses: Mapping[str, str], first: bool) -> Printed:
    tone = "first" if first else ""
    if agent is None or metric.key not in agent.measured:
        return Printed(MISSING, tone=tone)
    value = number(agent.measured[metric.key].percent, 1)
    return Printed(value, agent.rests_on(metric), tone, addresses[agent.difficulty])


def fit_rows(means: Sequence[Means], metrics: Sequence[Metric], difficulties: Sequence[str]) -> list[FitRow]:
    return [
        FitRow(metric.title, of, name, fit_of(means, name, metric))
        for metric in metrics
        for of, fit_of in ((SCORE_LINE, score_fit), (RELEASE_LINE, release_fit))
        if of == SCORE_LINE or metric.by_release
        for name in difficulties
    ]
