"""Tests of every two agents in one environment. Pure functions over records.

Two agents are compared over the instances that both finished (`analysis.base.matching`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from analysis.base.matching import FinishedInstances, finished_by_agent
from analysis.base.table import Kind, RunRecord
from infrastructure.text.formats import counted
from stats.means import LEVEL
from stats.pairwise import SignedRank, Welch, consistency, signed_ranks, welch_tests
from stats.summaries import mean

POOLED = ""
"""The key of the tests over all chosen difficulties together. Tests of one difficulty have its name as key."""

MOST_AGENTS = 12
"""The most agents of a heatmap. More would leave no room for numbers and stars."""


@dataclass(frozen=True)
class AgentScores:
    """An agent with its scores by difficulty: points, one for each finished instance."""

    agent_id: int
    slug: str
    name: str
    kind: Kind
    scores: Mapping[str, list[float]]

    def mean(self, difficulty: str) -> float | None:
        return mean(self.scores.get(difficulty, []))


@dataclass(frozen=True)
class Pair:
    """Two agents, and their tests by difficulty or POOLED. Differences are the first's points minus the second's."""

    first: AgentScores
    second: AgentScores
    tests: Mapping[str, SignedRank]

    def consistency(self) -> tuple[int, int]:
        """The consistency of the tests over the difficulties, see `stats.pairwise.consistency`."""
        return consistency([test for key, test in self.tests.items() if key != POOLED])


@dataclass(frozen=True)
class Change:
    """A test of one agent's scores on the easiest against the hardest difficulty; else a sentence why there is none."""

    player: AgentScores
    test: Welch | str


@dataclass(frozen=True)
class PairGrid:
    """The tests of every two agents.

    players: sorted by score on the hardest difficulty, the best first; pairs: every two of them, in this order
    left_out: number of agents beyond MOST_AGENTS
    """

    environment: str
    difficulties: Sequence[str]
    players: Sequence[AgentScores]
    pairs: Sequence[Pair]
    changes: Sequence[Change]
    left_out: int

    @property
    def hardest(self) -> str:
        return self.difficulties[-1]

    def between(self, row: AgentScores, column: AgentScores) -> tuple[Pair, bool]:
        """The pair of two agents, and whether `row` is the second agent of it."""
        turned = (row.agent_id, column.agent_id) not in self._by_ids
        first, second = (column, row) if turned else (row, column)
        return self._by_ids[first.agent_id, second.agent_id], turned

    @cached_property
    def _by_ids(self) -> dict[tuple[int, int], Pair]:
        return {(pair.first.agent_id, pair.second.agent_id): pair for pair in self.pairs}


def pair_grid(records: Sequence[RunRecord], environment: str, difficulties: Sequence[str]) -> PairGrid:
    """Test every two agents. difficulties: from the easiest to the hardest"""
    environment_runs = [run for run in records if run.environment == environment]
    instances_by_agent = finished_by_agent(environment_runs, difficulties)
    runs = {run.agent_id: run for run in environment_runs}
    agents = [_agent_scores(runs[agent_id], finished) for agent_id, finished in instances_by_agent.items()]
    ordered = sorted(agents, key=lambda player: _rank_key(player, difficulties[-1]))
    players = ordered[:MOST_AGENTS]
    return PairGrid(
        environment=environment,
        difficulties=difficulties,
        players=players,
        pairs=_pairs(players, instances_by_agent, difficulties),
        changes=changes(ordered, difficulties),
        left_out=len(ordered) - len(players),
    )


def _agent_scores(run: RunRecord, finished: FinishedInstances) -> AgentScores:
    scores: dict[str, list[float]] = defaultdict(list)
    for difficulty, _, side in finished.values():
        scores[difficulty].append(side.score)
    return AgentScores(run.agent_id, run.agent_slug, run.agent_name, run.kind, dict(scores))


def _rank_key(player: AgentScores, hardest: str) -> tuple[bool, float, str]:
    """A sort key: the best on the hardest difficulty first, agents without a run on it last."""
    points = player.mean(hardest)
    return points is None, -(points or 0.0), player.name.casefold()


def _pairs(
    players: Sequence[AgentScores], instances_by_agent: Mapping[int, FinishedInstances], difficulties: Sequence[str]
) -> list[Pair]:
    couples = list(combinations(players, 2))
    shared = [
        [
            (difficulty, side.score - other[instance_id][2].score)
            for instance_id, (difficulty, _, side) in instances_by_agent[first.agent_id].items()
            if instance_id in other
        ]
        for first, second in couples
        for other in [instances_by_agent[second.agent_id]]
    ]
    tests = {
        key: signed_ranks([[difference for of, difference in pair if key in (POOLED, of)] for pair in shared])
        for key in (POOLED, *difficulties)
    }
    return [
        Pair(first, second, {key: of_pairs[index] for key, of_pairs in tests.items()})
        for index, (first, second) in enumerate(couples)
    ]


def changes(players: Sequence[AgentScores], difficulties: Sequence[str]) -> list[Change]:
    """Welch's test of each agent between the first and the last difficulty; none if there is only one."""
    if len(difficulties) < 2:
        return []
    easiest, hardest = difficulties[0], difficulties[-1]
    groups = [(player.scores.get(easiest, []), player.scores.get(hardest, [])) for player in players]
    return list(map(Change, players, welch_tests(groups, "instances")))


def answer(grid: PairGrid) -> str:
    """A sentence with the number of pairs of agents that differ."""
    tests = [pair.tests[POOLED] for pair in grid.pairs]
    tested = [test for test in tests if test.p is not None]
    if not tests:
        return "Two agents with a finished run are needed for a comparison."
    if not tested:
        return "No two agents differ on enough instances in common for a test; it needs six."
    raw = sum(test.p is not None and test.p < LEVEL for test in tested)
    adjusted = sum(test.adjusted_p is not None and test.adjusted_p < LEVEL for test in tested)
    tested_pairs = counted(len(tested), "tested pair differs,tested pairs differ")
    few = len(tests) - len(tested)
    ending = f"; {counted(few, 'pair has,pairs have')} too few instances." if few else "."
    return f"{raw:,} of {tested_pairs} at the 5 % level, {adjusted:,} after Holm{ending}"


def agreement(grid: PairGrid) -> str:
    """A sentence on whether significant comparisons agree over the difficulties; empty for one difficulty."""
    if len(grid.difficulties) < 2 or not grid.pairs:
        return ""
    mixed = [pair for pair in grid.pairs if len(set(pair.consistency())) > 1]
    if not any(pair.consistency()[1] for pair in grid.pairs):
        return "On no single difficulty do two agents differ at the 5 % level."
    if not mixed:
        return "Significant comparisons agree over the difficulties."
    names = ", ".join(f"{pair.first.name} and {pair.second.name}" for pair in mixed[:3])
    others = " and others" if mixed[3:] else ""
    return f"Significant comparisons contradict each other over the difficulties for {names}{others}."
