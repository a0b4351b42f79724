"""Comparisons of agents in each environment, and their results as sentences. Pure functions over records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from environments.registry import LITMUS_TESTS
from infrastructure.text.formats import counted, difference_sentence, p_text
from stats.means import EXACT, LEVEL, MANY, RESAMPLES
from stats.paired import WILCOXON_FROM, Paired, holm, paired

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


def sentence(comparison: Comparison, hidden: int = 0) -> str:
    """The result as a sentence with its numbers.

    It compares the second agent with the first, as tables and the API do.

    hidden: number of finished runs of the agents that the filters leave out
    """
    numbers, agents = comparison.paired, comparison.agents
    if numbers.difference is None:
        fitting = " that fits the filters" if hidden else ""
        return f"{agents.first} and {agents.second} have finished no instance in common{fitting}."
    instances = counted(numbers.n, "instance,instances")
    if numbers.zeros == numbers.n:
        return f"{agents.first} and {agents.second} score the same on {'all ' if numbers.n > 1 else ''}{instances}."
    answer = difference_sentence(
        agents.first, agents.second, numbers.difference, comparison.is_decided, comparison.environment in LITMUS_TESTS
    )
    return f"{answer} ({_basis(comparison, instances)}): {_verdict(comparison)}{_exploratory_note(comparison)}"


def _exploratory_note(comparison: Comparison) -> str:
    if not comparison.added:
        return ""
    return (
        f" Exploratory: {comparison.added:,} of the {comparison.paired.n:,} instances were launched when others had "
        "finished, and the test does not allow for such a look."
    )


def _basis(comparison: Comparison, instances: str) -> str:
    numbers = comparison.paired
    interval = "95 % interval {:.1f} to {:.1f}".format(*numbers.interval).replace("-", "−") if numbers.interval else ""
    adjusted = f"{p_text(comparison.adjusted_p)} adjusted for {comparison.together} comparisons"
    parts = (interval, p_text(numbers.p), adjusted if comparison.together > 1 else "", instances)
    return ", ".join(filter(None, parts))


def _verdict(comparison: Comparison) -> str:
    numbers = comparison.paired
    if comparison.is_decided:
        return "evidence of a difference."
    if numbers.n - numbers.zeros < WILCOXON_FROM:
        return (
            f"too few instances for a verdict. The test needs at least {WILCOXON_FROM} on which they differ to find "
            "anything at the 5 % level."
        )
    if numbers.p is not None and numbers.p < LEVEL:
        return (
            f"no evidence of a difference after adjusting for {comparison.together} comparisons; alone it would be "
            "evidence."
        )
    if numbers.detectable is None:
        return "no evidence of a difference."
    return f"no evidence of a difference. One of {numbers.detectable:.1f} points would be found with 80 % power."


def method(numbers: Paired) -> str:
    """The method by which p was computed, as text."""
    flips = numbers.n - numbers.zeros
    if not flips:
        return "no instance differs"
    if flips <= EXACT:
        return f"exact, all {2**flips:,} flips of signs"
    return f"{RESAMPLES:,} random flips of signs" if flips <= MANY else "Student's t, since there are many instances"


def comparison_by_key(comparisons: Iterable[Comparison], key: str) -> Comparison | None:
    """The comparison with this key, else the first one with an instance in common."""
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    by_key = (comparison for comparison in with_pairs if comparison.key == key)
    return next(by_key, with_pairs[0] if with_pairs else None)
