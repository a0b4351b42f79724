"""Agents by score and cost, and the frontier of those that no other agent beats in both. Pure functions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.base.table import BenchmarkColumn
from stats.means import Interval


@dataclass(frozen=True)
class CostRow:
    """An agent. Scores are in points of 100, costs in dollars.

    columns: number of columns in which it has a score; instances, runs: of its scores
    score, score_interval: mean over these columns, and its 95 % interval
    cost, cost_interval: mean over these columns of the mean cost of a run, None if no price of the agent is known
    model: what agents share that differ in effort only; empty for a baseline
    effort: its reasoning effort, empty for the model's default
    is_complete: whether it has a score in every column
    is_efficient: whether it is on the frontier
    """

    agent_id: int
    agent_slug: str
    name: str
    kind: str
    model: str
    effort: str
    columns: int
    instances: int
    runs: int
    score: float
    score_interval: Interval | None
    cost: float | None
    cost_interval: Interval | None
    is_complete: bool
    is_efficient: bool = False


@dataclass(frozen=True)
class CostBoard:
    """The rows by score, the highest first, and the columns over which they are means.

    mixed: columns in which agents have finished different instances
    """

    rows: list[CostRow]
    columns: tuple[BenchmarkColumn, ...]
    mixed: tuple[BenchmarkColumn, ...]

    @property
    def frontier(self) -> list[CostRow]:
        """The agents on the frontier, the cheapest first."""
        return sorted((row for row in self.rows if row.is_efficient), key=lambda row: row.cost or 0.0)

    @property
    def efforts(self) -> list[list[CostRow]]:
        """For each model with several efforts, its complete agents with a known cost, the cheapest first."""
        models: dict[str, list[CostRow]] = defaultdict(list)
        for row in self.rows:
            if row.model and row.is_complete and row.cost is not None:
                models[row.model].append(row)
        return [
            sorted(rows, key=lambda row: row.cost or 0.0)
            for rows in models.values()
            if len({row.effort for row in rows}) > 1
        ]


def efficient(rows: Sequence[CostRow]) -> set[int]:
    """The ids of the complete agents of which no other complete agent scores at least as much for at most the same cost,
    and differs in one of both.
    """
    points = [(row.agent_id, row.cost, row.score) for row in rows if row.is_complete and row.cost is not None]
    return {
        agent
        for agent, cost, score in points
        if not any(
            other_cost <= cost and other >= score and (other_cost, other) != (cost, score)
            for _, other_cost, other in points
        )
    }
