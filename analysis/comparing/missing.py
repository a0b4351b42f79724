"""What the runs that ended without a score could change in a comparison of two agents. Pure functions over records."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from analysis.base.matching import FinishedInstances
from environments.registry import ENVIRONMENTS
from stats.means import BOUNDS, Interval, sign_flip_p

BEST = 100 * BOUNDS[1]
Scored = tuple[int, int]
"""(agent id, instance id)"""


@dataclass(frozen=True)
class Board:
    """Scores of all agents, from which the worst supposed score of a missing one follows.

    scores: of the instances on which a compared agent misses its score, by instance id and agent id, in points
    reached: what the runs had reached where scores cannot fall below it, in points
    """

    scores: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    reached: Mapping[Scored, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Extremes:
    """A comparison with missing scores at their extremes.

    instances: number of instances with a missing score
    ranges: lowest and highest difference of each instance that both agents finished or miss, in points
    """

    instances: int
    ranges: Sequence[Interval]

    @cached_property
    def worst(self) -> tuple[float, float]:
        """Difference and p with the second agent's missing scores at their worst and the first's at their best."""
        return _tested([low for low, _ in self.ranges])

    @cached_property
    def best(self) -> tuple[float, float]:
        """The reverse of `worst`."""
        return _tested([high for _, high in self.ranges])


def _tested(differences: Sequence[float]) -> tuple[float, float]:
    return math.fsum(differences) / len(differences), sign_flip_p(differences)


@dataclass(frozen=True)
class Scores:
    """The scores of the compared agents in one environment.

    finished: by agent id
    missing: the instances of which an agent's run ended without a score and none has one
    """

    environment: str
    finished: Mapping[int, FinishedInstances]
    missing: Collection[Scored]
    board: Board

    def extremes(self, first: int, second: int) -> Extremes | None:
        """The extremes of the comparison of two agents, by their ids. None if they miss no score that could matter."""
        ranges, number = [], 0
        instances = {*self.finished.get(first, {}), *self.finished.get(second, {}), *(key[1] for key in self.missing)}
        for instance in sorted(instances):
            ends, other_ends = self._ends(first, second, instance), self._ends(second, first, instance)
            if ends and other_ends:
                ranges.append((other_ends[0] - ends[1], other_ends[1] - ends[0]))
                number += (first, instance) in self.missing or (second, instance) in self.missing
        return Extremes(number, ranges) if number else None

    def _ends(self, agent: int, against: int, instance: int) -> Interval | None:
        """The lowest and the highest score of an agent on an instance; None if it did not begin or still plays it."""
        if instance in self.finished.get(agent, {}):
            score = self.finished[agent][instance][2].score
            return score, score
        return (self._worst(agent, against, instance), BEST) if (agent, instance) in self.missing else None

    def _worst(self, agent: int, against: int, instance: int) -> float:
        """The worst supposed score. It is the lowest of any agent on the instance.

        If only the other agent of the comparison has one, this would suppose a tie, so it is the floor of the environment.
        """
        if (agent, instance) in self.board.reached:
            return self.board.reached[agent, instance]
        scores = self.board.scores.get(instance, {})
        if scores.keys() - {against}:
            return min(scores.values())
        return 100 * ENVIRONMENTS[self.environment].lowest_score.floor
