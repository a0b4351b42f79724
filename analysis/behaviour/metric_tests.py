"""Tests of every two agents in a metric of their runs. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from analysis.behaviour.pairs import AgentScores
from games.parts import Metric
from infrastructure.text.formats import counted
from stats.means import LEVEL
from stats.pairwise import Welch, welch_tests

MetricValues = Mapping[tuple[int, str, str], Sequence[float]]
"""Percent, one for each instance, by agent, difficulty and key of the metric."""


@dataclass(frozen=True)
class MetricTest:
    """Welch's test of two agents in a metric on one difficulty, or why there is none."""

    metric: Metric
    difficulty: str
    first: str
    second: str
    test: Welch | str


def metric_tests(
    players: Sequence[AgentScores], values: MetricValues, metrics: Sequence[Metric], difficulties: Sequence[str]
) -> list[MetricTest]:
    """Test every two agents that have the metric on a difficulty. p is adjusted over the pairs of a difficulty."""
    tests = []
    for metric in metrics:
        for difficulty in difficulties:
            measured = [
                (player.name, own)
                for player in players
                if (own := values.get((player.agent_id, difficulty, metric.key)))
            ]
            pairs = list(combinations(measured, 2))
            by_pair = welch_tests([(first, second) for (_, first), (_, second) in pairs], "instances")
            tests += [
                MetricTest(metric, difficulty, first, second, test)
                for ((first, _), (second, _)), test in zip(pairs, by_pair, strict=True)
            ]
    return tests


def sentence(tests: Sequence[MetricTest]) -> str:
    """How many pairs of agents differ in a metric; empty without a test."""
    tested = [row.test for row in tests if isinstance(row.test, Welch)]
    if not tested:
        return ""
    differing = sum((test.adjusted_p or 0.0) < LEVEL for test in tested)
    metrics = " and ".join(dict.fromkeys(row.metric.title.lower() for row in tests))
    number = counted(len(tested), "test of two agents finds,tests of two agents find")
    return f"In {metrics}, {differing:,} of {number} a difference after Holm's method."
