"""The number of instances that a comparison of two agents needs. Pure functions over numbers, in points of 100."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import mean, stdev, variance

from stats.means import Interval, deviation_interval
from stats.paired import effect_for, instances_for

PAIRS_FROM = 3
"""Minimum number of matched instances of two agents to estimate the spread from their own differences."""

Scores = dict[int, dict[int, float]]
"""Scores in points by agent and instance, of one environment and difficulty."""


@dataclass(frozen=True)
class Spread:
    """The standard deviation of a paired difference.

    points: its estimate in points; interval: see `deviation_interval`, None if it was computed for other repeats
    basis: a phrase that says from which data it was estimated
    computed: whether it was computed for other repeats, see `with_repeats`
    """

    points: float
    freedom: int
    basis: str = ""
    computed: bool = False

    @property
    def interval(self) -> Interval | None:
        return None if self.computed else deviation_interval(self.points, self.freedom)

    def with_repeats(self, repeats: int, run: float, left: float) -> "Spread":
        """The spread if each agent had so many runs on each instance: variance + 2 run^2 / repeats - left run^2.

        run: standard deviation in points between the runs of one agent on one instance
        left: sum of 1 / (number of runs on an instance) of both agents, in the differences that were measured
        """
        if abs(left - 2 / repeats) < 1e-9:
            return self
        variance = max(0.0, self.points**2 - left * run**2) + 2 * run**2 / repeats
        return replace(self, points=math.sqrt(variance), computed=True)


def spread_of(scores: Scores, first: int, second: int) -> Spread | None:
    """Estimate the spread of the differences between two agents in one environment and difficulty; None without data.

    scores: scores of these two and of similar agents

    The estimate uses the differences of the two agents if there are at least PAIRS_FROM. Otherwise it is pooled over all
    pairs of agents with two or more common instances. If these are too few, it is from the scores of each agent, as if
    scores on the same instance were independent.
    """
    own = _differences(scores.get(first, {}), scores.get(second, {}))
    if len(own) >= PAIRS_FROM:
        return Spread(stdev(own), len(own) - 1, f"the differences of these two agents on {len(own)} instances")
    pairs = [_differences(scores[a], scores[b]) for a, b in combinations(scores, 2)]
    pairs = [pair for pair in pairs if len(pair) > 1]
    if sum(map(len, pairs)) >= PAIRS_FROM:
        other = "two agents" if len(pairs) == 1 else f"{len(pairs)} pairs of agents"
        return _pooled(pairs, f"the differences between {other} that played the same instances")
    alone = [list(of_agent.values()) for of_agent in scores.values() if len(of_agent) > 1]
    if sum(map(len, alone)) >= PAIRS_FROM:
        basis = "the scores of each agent, since no two agents have played enough of the same instances"
        pooled = _pooled(alone, basis)
        return replace(pooled, points=pooled.points * math.sqrt(2))
    return None


def instances_needed(spreads: Sequence[float], points: float) -> int | None:
    """Number of instances that detect a mean difference of `points` by a paired t test at 5 % with 80 % power.

    spreads: standard deviation of a difference, in points, in each group of instances; all groups have equal size

    The common standard deviation is the root of the mean variance. The number is at least
    WILCOXON_FROM, because the sign-flip test cannot be significant on fewer. None without a positive spread, and if
    `points` are less than a thousandth of it.
    """
    if not spreads:
        return None
    deviation = math.sqrt(mean(spread**2 for spread in spreads))
    if deviation <= 1e-9:
        return None
    return instances_for(abs(points) / deviation)


def detectable_difference(spread: float, instances: int) -> float:
    """The mean difference in points that a paired t test at 5 % on so many instances detects with 80 % power.

    spread: standard deviation of a difference in points
    """
    return spread * effect_for(instances)


def _differences(first: dict[int, float], second: dict[int, float]) -> list[float]:
    return [second[instance] - first[instance] for instance in first.keys() & second.keys()]


def _pooled(samples: Iterable[Sequence[float]], basis: str) -> Spread:
    """The pooled standard deviation within samples of two or more values, weighted by their degrees of freedom."""
    squares = [(variance(values), len(values) - 1) for values in samples]
    freedom = sum(freedom for _, freedom in squares)
    return Spread(math.sqrt(sum(value * weight for value, weight in squares) / freedom), freedom, basis)
