"""Components of the variance of scores: between instances, of agents on instances, and between runs of one agent.

    score of agent a on instance i in a run = level of a + instance i + (a on i) + run

The levels of the agents are fixed. The three other terms are random and independent. Their variances are estimated by
the method of moments, from the means of the runs of each agent on each instance, so any runs may be missing (Henderson's
method III: Searle, Casella and McCulloch 1992, Variance Components, chapter 5). Pure functions over numbers, in points.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.means import LEVEL, Interval

INSTANCE, ON_INSTANCE, RUN = "instance", "agent on instance", "run"
"""The three terms."""

INSTANCE_AND_ON_INSTANCE, ON_INSTANCE_AND_RUN, ALL = (
    "instance with agent on it",
    "agent on instance with run",
    "all three",
)
"""Terms that cannot be separated: for a single agent, without repeats, and for a single agent without repeats."""

INSTANCES_FROM, DIFFICULTY_FROM = 5, 36
"""Minimum number of instances for an interval: of terms without, and with, the variance between instances."""

BOUNDS = (0.0, 100.0)
"""Lowest and highest possible score in points."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """The standard deviation of a term in points, 0 if the estimate of its variance is negative.

    interval: its 95 % interval; None where no method with a measured coverage of at least 93 % is known
    """

    deviation: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Components:
    """The components of the runs of one environment and difficulty.

    terms: by name; terms that the runs cannot separate are joined
    agents, instances, runs: their numbers; repeats: largest number of runs of an agent on one instance
    """

    terms: Mapping[str, Component]
    agents: int
    instances: int
    runs: int
    repeats: int

    def of_difference(self, repeats: int) -> float | None:
        """The standard deviation of the difference of two agents on an instance with so many runs of each, in points.

        It is sqrt(2 (agent on instance ^ 2 + run ^ 2 / repeats)), since the instance is the same for both. None if all
        runs are of one agent. Where the run is not separated, repeats are taken to change nothing.
        """
        if together := self.terms.get(ON_INSTANCE_AND_RUN):
            return math.sqrt(2) * together.deviation
        if ON_INSTANCE not in self.terms:
            return None
        return math.sqrt(2 * (self.terms[ON_INSTANCE].deviation ** 2 + self.terms[RUN].deviation ** 2 / repeats))


def components(agents: Integers, instances: Integers, scores: Floats) -> Components | str:
    """Estimate the components. Returns a sentence with the reason if there is nothing to estimate.

    agents, instances, scores: of each run, all of shape (runs,); scores in points
    """
    means = _Means.of(agents, instances, scores)
    if means.instances < 2:
        return "The variance takes finished runs on at least two instances."
    run, residual, between = means.within(), means.residual(), means.between()
    at_bound = float(np.isclose(scores[:, None], BOUNDS, rtol=0, atol=1e-7).any(axis=1).mean())
    fewest, fewest_between = (number if at_bound < 0.5 else math.inf for number in (INSTANCES_FROM, DIFFICULTY_FROM))
    terms = {RUN: _component([(1.0, run)], fewest)} if run else {}
    # A mean over the runs on an instance has this part of the variance of a run.
    left = means.run_part(means.left_between, between)
    if residual is None:
        name = INSTANCE_AND_ON_INSTANCE if run else ALL
        terms |= {name: _component([(1.0, between), (-left, run)], fewest_between)}
    else:
        left_residual, weight = means.run_part(means.left, residual), between.freedom / means.freedom
        inner = [(1.0, residual), (-left_residual, run)]
        terms |= {ON_INSTANCE if run else ON_INSTANCE_AND_RUN: _component(inner, fewest)}
        outer = [(weight, between), (-weight, residual), (weight * (left_residual - left), run)]
        terms |= {INSTANCE: _component(outer, fewest_between)}
    order = (INSTANCE, INSTANCE_AND_ON_INSTANCE, ALL, ON_INSTANCE, ON_INSTANCE_AND_RUN, RUN)
    numbers = (means.agents, means.instances, len(scores), int(means.counts.max()))
    return Components({name: terms[name] for name in order if name in terms}, *numbers)


@dataclass(frozen=True)
class _Square:
    """A mean square: a sum of squares divided by its degrees of freedom.

    instances: number of instances that contribute
    spread: squared coefficient of variation of the mean square, from the contributions of the instances
    """

    value: float
    freedom: float
    instances: int
    spread: float

    @classmethod
    def of(cls, sums: Floats, freedoms: Floats) -> "_Square":
        """sums, freedoms: what each instance adds to the sum of squares, and to its degrees of freedom"""
        freedom, instances = float(freedoms.sum()), int((freedoms > 1e-9).sum())
        value = float(sums.sum()) / freedom
        deviations = sums - value * freedoms
        few = instances / max(1, instances - 1)
        spread = few * float((deviations**2).sum()) / (freedom * value) ** 2 if value > 1e-12 else 0.0
        return cls(value, freedom, instances, spread)

    @property
    def interval(self) -> Interval:
        """95 % interval of the expected mean square, by chi-square.

        Its degrees of freedom are 2 / spread (Satterthwaite 1946), at most those of normal values. The spread is
        enlarged by 3 / sqrt(instances), because few instances rarely show how heavy the tails of scores are.
        """
        from scipy.special import chdtri

        enlarged = self.spread * (1 + 3 / math.sqrt(self.instances))
        freedom = max(1.0, 2 / max(enlarged, 2 / self.freedom))
        low, high = (self.value * freedom / float(chdtri(freedom, tail)) for tail in (LEVEL / 2, 1 - LEVEL / 2))
        return low, high


def _component(parts: list[tuple[float, _Square | None]], fewest: float) -> Component:
    """The component whose variance is a weighted sum of mean squares, with its interval.

    The interval is recovered from those of the mean squares (Zou and Donner 2008; for normal values without the small
    product terms of Ting, Burdick, Graybill, Jeyaratnam and Lu 1990).

    fewest: smallest number of instances for an interval
    """
    squares = [(weight, square) for weight, square in parts if square is not None]
    variance = sum(weight * square.value for weight, square in squares)
    deviation = math.sqrt(max(0.0, variance))
    if (
        variance <= 0
        and all(square.value <= 1e-12 for _, square in squares)
        or any(square.instances < fewest for _, square in squares)
    ):
        return Component(deviation)
    below, above = 0.0, 0.0
    for weight, square in squares:
        ends = sorted(weight * end for end in square.interval)
        below += (weight * square.value - ends[0]) ** 2
        above += (ends[1] - weight * square.value) ** 2
    low, high = (math.sqrt(max(0.0, end)) for end in (variance - math.sqrt(below), variance + math.sqrt(above)))
    return Component(deviation, (low, high))


@dataclass(frozen=True)
class _Means:
    """The means of the runs of each agent on each instance, and their residuals.

    agent, instance: positions of the agent and of the instance of each mean, of shape (means,)
    counts, squares: its number of runs, and the sum of the squared deviations of its runs
    apart: deviations from the mean of the agent; residuals: of the fit with agents and instances
    left_between, left: the part of each mean's variance that is left in `apart`, and in `residuals`
    """

    agent: Integers
    instance: Integers
    counts: Floats
    squares: Floats
    apart: Floats
    residuals: Floats
    left_between: Floats
    left: Floats

    @classmethod
    def of(cls, agents: Integers, instances: Integers, scores: Floats) -> "_Means":
        agent_of_run, instance_of_run = (np.unique(ids, return_inverse=True)[1] for ids in (agents, instances))
        keys, index = np.unique(agent_of_run * (instance_of_run.max() + 1) + instance_of_run, return_inverse=True)
        agent, instance = np.divmod(keys, instance_of_run.max() + 1)
        counts = np.bincount(index).astype(float)
        means = np.bincount(index, scores) / counts
        squares = np.bincount(index, (scores - means[index]) ** 2).astype(float)
        played = np.bincount(agent)
        apart = means - (np.bincount(agent, means) / played)[agent]
        # Regress on the agents after removing the instances, which leaves a matrix of agents only.
        on_instance = np.bincount(instance)
        columns = np.eye(len(played))[agent]
        sums = np.zeros((len(on_instance), len(played)))
        np.add.at(sums, instance, columns)
        columns -= (sums / on_instance[:, None])[instance]
        values, vectors = np.linalg.eigh(columns.T @ columns)
        basis = columns @ (vectors[:, values > 1e-9] / np.sqrt(values[values > 1e-9]))
        inside = means - (np.bincount(instance, means) / on_instance)[instance]
        residuals = inside - basis @ (basis.T @ inside)
        left = 1 - 1 / on_instance[instance] - (basis**2).sum(axis=1)
        left_between = 1 - 1 / played[agent]
        return cls(agent, instance, counts, squares, apart, residuals, left_between - left, left)

    @property
    def agents(self) -> int:
        return int(self.agent.max()) + 1

    @property
    def instances(self) -> int:
        return int(self.instance.max()) + 1

    @property
    def freedom(self) -> int:
        """The weight of the variance between instances in the sum of squares between them."""
        return len(self.agent) - self.agents

    def within(self) -> _Square | None:
        """Between the runs of an agent on an instance; None without repeats."""
        return self._square(self.squares, self.counts - 1)

    def residual(self) -> _Square | None:
        """Of the agents on the instances; None if no two agents can be compared."""
        return self._square(self.residuals**2, self.left)

    def between(self) -> _Square:
        square = self._square(self.apart**2 - self.residuals**2, self.left_between)
        assert square is not None
        return square

    def run_part(self, left: Floats, square: _Square) -> float:
        """The weight of the variance of a run in an expected mean square."""
        return float((left / self.counts).sum()) / square.freedom

    def _square(self, sums: Floats, freedoms: Floats) -> _Square | None:
        if freedoms.sum() < 0.5:
            return None
        by_instance = (np.bincount(self.instance, part).astype(float) for part in (sums, freedoms))
        return _Square.of(*by_instance)
