"""How many instances a comparison of two agents takes. Pure functions over numbers, in points of 100."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean, stdev, variance

from stats.paired import instances_for

PAIRS_FROM = 5
"""Matched instances of two agents from which their own differences tell the spread."""

Scores = dict[int, dict[int, float]]
"""Scores in points by agent and instance, of one environment and difficulty."""


@dataclass(frozen=True)
class Spread:
    """The standard deviation of a paired difference in points, and a phrase that says what it was measured on."""

    points: float
    basis: str


def spread_of(scores: Scores, first: int, second: int) -> Spread | None:
    """The spread of the differences between two agents in one environment and difficulty; None if nothing is known.

    From their own matched instances if there are PAIRS_FROM, else pooled over every two agents with two or more, else
    from the scores of each agent as if scores on the same instance were independent.
    """
    own = _differences(scores.get(first, {}), scores.get(second, {}))
    if len(own) >= PAIRS_FROM:
        return Spread(stdev(own), f"the differences of these two agents on {len(own)} instances")
    pairs = [_differences(scores[a], scores[b]) for a, b in combinations(scores, 2)]
    pairs = [pair for pair in pairs if len(pair) > 1]
    if sum(map(len, pairs)) >= PAIRS_FROM:
        other = "two agents" if len(pairs) == 1 else f"{len(pairs)} pairs of agents"
        return Spread(_pooled(pairs), f"the differences between {other} that played the same instances")
    alone = [list(of_agent.values()) for of_agent in scores.values() if len(of_agent) > 1]
    if sum(map(len, alone)) >= PAIRS_FROM:
        basis = "the scores of each agent, since no two agents have played enough of the same instances"
        return Spread(_pooled(alone) * math.sqrt(2), basis)
    return None


def instances_needed(spreads: Sequence[Spread], points: float) -> int | None:
    """The instances, in equal parts of each spread, that show a mean difference of `points` with 80 % power at 5 %.

    Of a paired t test (statsmodels, TTestPower) at the root of the mean variance, and at least WILCOXON_FROM, below
    which the sign-flip test finds nothing. None without a spread, and if `points` are less than a thousandth of it.
    """
    if not spreads:
        return None
    deviation = math.sqrt(mean(spread.points**2 for spread in spreads))
    if deviation <= 1e-9:
        return None
    return instances_for(abs(points) / deviation)


def _differences(first: dict[int, float], second: dict[int, float]) -> list[float]:
    return [second[instance] - first[instance] for instance in first.keys() & second.keys()]


def _pooled(samples: Iterable[Sequence[float]]) -> float:
    """The standard deviation within samples of two or more values, weighted by their degrees of freedom."""
    squares = [(variance(values), len(values) - 1) for values in samples]
    return math.sqrt(sum(value * freedom for value, freedom in squares) / sum(freedom for _, freedom in squares))
