"""Learning curves: an agent's mean score by period over instances. Pure functions over arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.base.table import BenchmarkColumn, TableRow
from infrastructure.text.formats import counted, score
from stats.means import Interval, mean_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RunScores:
    """A finished run. shares: its score by period as shares, at least one"""

    agent_id: int
    column: BenchmarkColumn
    instance_id: int
    shares: Sequence[float]


@dataclass(frozen=True)
class LearningCurve:
    """One agent in one column.

    runs: their number; scores: shares by instance and period, (instances, length); several runs of an instance count as
    their mean
    """

    agent: TableRow
    column: BenchmarkColumn
    runs: int
    scores: Floats

    @property
    def instances(self) -> int:
        return len(self.scores)

    @cached_property
    def mean(self) -> Floats:
        """The mean over instances by period, (length,)."""
        return np.asarray(self.scores.mean(axis=0))

    def bands(self, periods: Iterable[int]) -> list[Interval | None]:
        """95 % interval of the mean of each of these periods alone; None where `mean_interval` gives none."""
        return [mean_interval(np.ascontiguousarray(self.scores[:, period])) for period in periods]

    @property
    def ends(self) -> tuple[float, float]:
        """The means of the first and of the last tenth of the periods, as shares."""
        tenth = max(1, len(self.mean) // 10)
        return float(self.mean[:tenth].mean()), float(self.mean[-tenth:].mean())

    @property
    def rise(self) -> float:
        first, last = self.ends
        return last - first


@dataclass(frozen=True)
class Learning:
    """The answer.

    titles: what a point of a curve is, by environment
    length: number of periods of all runs
    left_out: number of finished runs that were not read, and of agents beyond the most that are drawn
    """

    curves: Sequence[LearningCurve]
    titles: dict[str, str]
    length: int
    runs_left_out: int = 0
    agents_left_out: int = 0


def learning_curve(agent: TableRow, column: BenchmarkColumn, runs: Sequence[RunScores], length: int) -> LearningCurve:
    """The curve over the instances of at least one run. A run that ended early keeps its last value."""
    ids, index = np.unique([run.instance_id for run in runs], return_inverse=True)
    by_instance = np.zeros((len(ids), length))
    np.add.at(by_instance, index, np.array([_whole(run.shares, length) for run in runs]))
    by_instance /= np.bincount(index)[:, None]
    return LearningCurve(agent, column, len(runs), by_instance)


def _whole(shares: Sequence[float], length: int) -> list[float]:
    return [*shares[:length], *[shares[-1]] * (length - len(shares))]


def sentences(result: Learning) -> list[str]:
    """The agent that improves most in each column, and what is left out."""
    texts = []
    for column in dict.fromkeys(curve.column for curve in result.curves):
        curves = [curve for curve in result.curves if curve.column == column]
        most = max(curves, key=lambda curve: curve.rise)
        first, last = map(score, most.ends)
        change = (
            f"{most.agent.full_name} improves most, from {first} points in the first tenth of the periods to {last} in the "
            f"last, over {counted(most.instances, 'instance,instances')}."
        )
        texts.append(f"{column.title}: {change if most.rise > 0 else 'no agent improves.'}")
    if not texts:
        return ["No run that fits these filters has finished."]
    if result.runs_left_out:
        texts.append(f"Only the newest runs of each agent are read: {result.runs_left_out:,} older ones are left out.")
    if result.agents_left_out:
        texts.append(
            f"{counted(result.agents_left_out, 'agent is,agents are')} left out; choose agents in the filters."
        )
    texts.append("Bands are 95 % intervals of each period alone: they do not cover a whole curve at once.")
    return texts
