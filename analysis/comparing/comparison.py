"""Comparisons of agents in each environment. Pure functions over records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, count

from analysis.base.matching import (
    Match,
    Times,
    finished_by_agent,
    launched_after_results,
    match_instances,
    missing_scores,
)
from analysis.base.table import RunRecord
from analysis.comparing.missing import Board, Extremes, Scores
from stats.effects import Effect, effect
from stats.means import LEVEL
from stats.paired import Paired, holm, paired

MOST_AGENTS = 4


@dataclass(frozen=True)
class Agents:
    """Two agents: their ids and their names."""

    first_id: int
    second_id: int
    first: str
    second: str


@dataclass(frozen=True)
class Comparison:
    """Two agents in one environment, compared over the instances that both finished.

    adjusted_p: p adjusted by Holm's method for all comparisons that are made together
    together: the number of these comparisons
    extremes: the comparison with missing scores at their extremes; None if none is missing
    depends_on_missing: whether the verdict is another one at an extreme
    """

    agents: Agents
    environment: str
    matches: Sequence[Match]
    paired: Paired
    adjusted_p: float | None
    together: int
    extremes: Extremes | None = None
    depends_on_missing: bool = False

    @property
    def pairs(self) -> list[Match]:
        return [match for match in self.matches if match.is_pair]

    @property
    def unmatched(self) -> list[Match]:
        """Instances that only one of the agents finished. They enter no number."""
        return [match for match in self.matches if not match.is_pair]

    @cached_property
    def effect(self) -> Effect | None:
        """The mean difference in standard deviations; None if it is not known."""
        sides = [(match.first.score, match.second.score) for match in self.matches if match.first and match.second]
        return effect([first for first, _ in sides], [second for _, second in sides])

    @property
    def added(self) -> int:
        """The number of pairs that were launched after results of other pairs were visible.

        The test does not correct for this.
        """
        return launched_after_results(self.matches)

    @property
    def key(self) -> str:
        return f"{self.agents.first_id}.{self.agents.second_id}.{self.environment}"

    @property
    def title(self) -> str:
        return f"{self.agents.second} against {self.agents.first}"

    @property
    def is_decided(self) -> bool:
        return self.adjusted_p is not None and self.adjusted_p < LEVEL


def compare(
    records: Sequence[RunRecord],
    names: Mapping[int, str],
    environments: Sequence[str],
    difficulties: Sequence[str],
    times: Times | None = None,
    board: Board | None = None,
) -> list[Comparison]:
    """Compare every two of the named agents in every environment in which one of them has finished a run.

    names: names of the agents by id, in the order of comparison
    board: scores that bound the missing ones; None if missing scores are left out
    """
    groups = [
        (Agents(first_id, second_id, first, second), environment, matches, scores.extremes(first_id, second_id))
        for environment in environments
        for runs in [[run for run in records if run.environment == environment and run.agent_id in names]]
        for finished in [finished_by_agent(runs, difficulties, times)]
        for missing in [missing_scores(runs, difficulties) if board else ()]
        for scores in [Scores(environment, finished, missing, board or Board())]
        for (first_id, first), (second_id, second) in combinations(names.items(), 2)
        if (
            matches := match_instances(
                finished.get(first_id, {}), finished.get(second_id, {}), environment, difficulties
            )
        )
    ]
    statistics = [paired([match.difference for match in matches if match.is_pair]) for _, _, matches, _ in groups]
    p_values = [test.p for test in statistics if test.p is not None]
    adjusted, indices = iter(holm(p_values)), count()
    return [
        Comparison(agents, environment, matches, numbers, None, len(p_values), extremes)
        if numbers.p is None
        else _judged(
            Comparison(agents, environment, matches, numbers, next(adjusted), len(p_values), extremes),
            p_values,
            next(indices),
        )
        for (agents, environment, matches, extremes), numbers in zip(groups, statistics, strict=True)
    ]


def _judged(comparison: Comparison, p_values: Sequence[float], index: int) -> Comparison:
    """The comparison, knowing whether its verdict depends on missing scores. p_values: of all; index: of its own"""
    if not comparison.extremes or comparison.paired.difference is None:
        return comparison
    verdicts = {_direction(comparison.paired.difference, comparison.is_decided)}
    for difference, p in (comparison.extremes.worst, comparison.extremes.best):
        adjusted = holm([*p_values[:index], p, *p_values[index + 1 :]])[index]
        verdicts.add(_direction(difference, adjusted < LEVEL))
    return replace(comparison, depends_on_missing=len(verdicts) > 1)


def _direction(difference: float, is_decided: bool) -> int:
    """1 or -1 if the second agent is found better or worse, 0 without a verdict."""
    return (difference > 0) - (difference < 0) if is_decided else 0


def over_environments(agents: Agents, comparisons: Sequence[Comparison]) -> Comparison:
    """One comparison of two agents over all their instances. It is a single test, so p needs no adjustment."""
    matches = [match for comparison in comparisons for match in comparison.matches]
    numbers = paired([match.difference for match in matches if match.is_pair])
    environment = comparisons[0].environment if comparisons else ""
    whole = Comparison(agents, environment, matches, numbers, numbers.p, 1, _pooled(comparisons))
    return whole if numbers.p is None else _judged(whole, [numbers.p], 0)


def _pooled(comparisons: Sequence[Comparison]) -> Extremes | None:
    """The extremes of comparisons of the same two agents, over all their instances."""
    if not any(comparison.extremes for comparison in comparisons):
        return None
    ranges = [
        ends
        for comparison in comparisons
        for ends in (
            comparison.extremes.ranges
            if comparison.extremes
            else [(pair.difference, pair.difference) for pair in comparison.pairs]
        )
    ]
    return Extremes(sum(comparison.extremes.instances for comparison in comparisons if comparison.extremes), ranges)


def comparison_by_key(comparisons: Iterable[Comparison], key: str) -> Comparison | None:
    """The comparison with this key, else the first one with an instance in common."""
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    by_key = (comparison for comparison in with_pairs if comparison.key == key)
    return next(by_key, with_pairs[0] if with_pairs else None)
