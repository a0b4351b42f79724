"""Runs of two agents matched by instance. Pure functions over records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.base.table import RunRecord, grouped


@dataclass(frozen=True)
class Side:
    """One agent on one instance: the mean score of its finished runs, in points, and the first of these runs."""

    score: float
    run_id: int
    runs: int


@dataclass(frozen=True)
class Match:
    """One instance. A side is None if that agent has no finished run on it."""

    difficulty: str
    seed: int
    first: Side | None
    second: Side | None

    @property
    def is_pair(self) -> bool:
        return self.first is not None and self.second is not None

    @property
    def difference(self) -> float:
        """The second agent's points minus the first's. ValueError if only one of them played."""
        if self.first is None or self.second is None:
            raise ValueError("Only one of the agents finished this instance.")
        return self.second.score - self.first.score

    @property
    def title(self) -> str:
        return f"{self.difficulty}, seed {self.seed}"


def matches(records: Iterable[RunRecord], first_id: int, second_id: int, difficulties: Sequence[str]) -> list[Match]:
    """The instances that at least one of two agents finished, by difficulty and seed.

    As in a leaderboard, several finished runs of one agent on one instance count as their mean.
    """
    wanted = [record for record in records if record.is_scored and record.difficulty in difficulties]
    found = []
    for runs in grouped(wanted, lambda run: run.instance_id, lambda run: run.agent_id).values():
        first, second = (_side(runs.get(agent_id)) for agent_id in (first_id, second_id))
        if first or second:
            run = next(iter(runs.values()))[0]
            found.append(Match(run.difficulty, run.seed, first, second))
    return sorted(found, key=lambda match: (difficulties.index(match.difficulty), match.seed))


def _side(runs: Sequence[RunRecord] | None) -> Side | None:
    if not runs:
        return None
    return Side(100 * sum(run.score or 0.0 for run in runs) / len(runs), runs[0].run_id, len(runs))
