"""Runs of two agents matched by instance. Pure functions over records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from analysis.base.table import RunRecord, grouped
from environments.generation import difficulty_title


@dataclass(frozen=True)
class Side:
    """One agent on one instance: the mean score of its finished runs, in points, and the first of these runs.

    launched: time of the last launch of these runs; ended: time of the first end; None if no times were given
    """

    score: float
    run_id: int
    runs: int
    launched: datetime | None = None
    ended: datetime | None = None


@dataclass(frozen=True)
class Match:
    """One instance. A side is None if that agent has no finished run on it."""

    environment: str
    difficulty: str
    seed: int
    first: Side | None
    second: Side | None

    @property
    def is_pair(self) -> bool:
        return self.first is not None and self.second is not None

    @property
    def difference(self) -> float:
        """The second agent's points minus the first's. Raises ValueError if only one of them played."""
        if self.first is None or self.second is None:
            raise ValueError("Only one of the agents finished this instance.")
        return self.second.score - self.first.score

    @property
    def title(self) -> str:
        return f"{difficulty_title(self.difficulty)}, seed {self.seed}"


FinishedInstances = Mapping[int, tuple[str, int, Side]]
"""The finished instances of one agent: (difficulty, seed, side) by the id of the instance."""


Times = Mapping[int, tuple[datetime, datetime]]
"""(launched, ended) of each run, by its id."""


def finished_by_agent(
    records: Iterable[RunRecord], difficulties: Sequence[str], times: Times | None = None
) -> dict[int, FinishedInstances]:
    """The finished instances of each agent, by the agent's id.

    As in a leaderboard, several finished runs of one agent on one instance count as their mean.
    """
    scored = [record for record in records if record.is_scored and record.difficulty in difficulties]
    return {
        agent_id: {
            instance_id: (runs[0].difficulty, runs[0].seed, _side(runs, times or {}))
            for instance_id, runs in by_instance.items()
        }
        for agent_id, by_instance in grouped(scored, lambda run: run.agent_id, lambda run: run.instance_id).items()
    }


def missing_scores(records: Iterable[RunRecord], difficulties: Sequence[str]) -> set[tuple[int, int]]:
    """(agent id, instance id) wherever a run of the agent ended without a score and none has one."""
    runs = [record for record in records if record.difficulty in difficulties]
    scored = {(run.agent_id, run.instance_id) for run in runs if run.is_scored}
    return {(run.agent_id, run.instance_id) for run in runs if run.has_failed} - scored


def match_instances(
    first: FinishedInstances, second: FinishedInstances, environment: str, difficulties: Sequence[str]
) -> list[Match]:
    """The instances of two agents, by difficulty and seed."""
    matches = []
    for instance_id, (difficulty, seed, _) in {**first, **second}.items():
        sides = [finished[instance_id][2] if instance_id in finished else None for finished in (first, second)]
        matches.append(Match(environment, difficulty, seed, *sides))
    return sorted(matches, key=lambda match: (difficulties.index(match.difficulty), match.seed))


def launched_after_results(matches: Iterable[Match]) -> int:
    """The number of pairs launched after another pair of their environment and difficulty had visible results."""
    spans = defaultdict(list)
    for match in matches:
        if match.first and match.second and match.first.launched and match.second.launched:
            ends = [end for end in (match.first.ended, match.second.ended) if end]
            spans[match.environment, match.difficulty].append(
                (max(match.first.launched, match.second.launched), max(ends))
            )
    return sum(
        launched > first_end
        for cell_spans in spans.values()
        for first_end in [min(end for _, end in cell_spans)]
        for launched, _ in cell_spans
    )


def _side(runs: Sequence[RunRecord], times: Times) -> Side:
    spans = [times[run.run_id] for run in runs if run.run_id in times]
    launched = max((moment for moment, _ in spans), default=None)
    ended = min((moment for _, moment in spans), default=None)
    return Side(100 * sum(run.score or 0.0 for run in runs) / len(runs), runs[0].run_id, len(runs), launched, ended)
