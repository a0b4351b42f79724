"""Queries for comparisons in stages, and for the spread of scores that the plan of a comparison needs."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from django.db.models import Avg, Count, Q

from accounts.models import Organization
from environments.generation import CUSTOM
from runs.launching.plan import LaunchPlan, paper_periods
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.proofs import AWAITS_SCORE
from runs.models.runs import TERMINAL
from runs.selectors.repeats import ScoredRuns, scored_runs
from runs.stages.models import StagedComparison, StageLook
from stats.designs.planning import Scores
from stats.designs.variance import RUN, components

PENDING = (~Q(state__in=TERMINAL) & ~Q(state=RunState.PAUSED, pause_cause=PauseCause.STAGE)) | AWAITS_SCORE
"""Runs for which the next look waits: runs of the stages begun that have not ended or still await their score."""


@dataclass(frozen=True)
class Staged:
    """A comparison with its looks (results after stages), and the number of its pending runs by state."""

    comparison: StagedComparison
    looks: Sequence[StageLook]
    pending: Counter[str]

    @property
    def total(self) -> int:
        """The number of instances of all stages."""
        return int(self.comparison.sizes[-1] * self.comparison.cells)

    @property
    def is_due(self) -> bool:
        """Whether the result after the current stage is about to be computed."""
        return self.comparison.is_playing and not self.pending

    @property
    def last(self) -> StageLook | None:
        return self.looks[-1] if self.looks else None

    @property
    def version(self) -> str:
        return f"{self.comparison.stage}{self.comparison.state}{len(self.looks)}"


def staged_of(experiment: Experiment) -> Staged | None:
    """The comparison of an experiment. Makes no query for a launch without stages, else three."""
    if not experiment.spec.get("stages"):
        return None
    rows = StagedComparison.objects.select_related("first", "second", "ended_by").filter(experiment=experiment)
    if (comparison := rows.first()) is None:
        return None
    pending = Run.objects.filter(PENDING, experiment=experiment).order_by().values_list("state").annotate(Count("id"))
    return Staged(comparison, list(comparison.looks.all()), Counter(dict(pending)))


def differences_of(comparison: StagedComparison) -> list[list[float]]:
    """The differences by stage, over the instances that both agents finished: the second's points minus the first's.

    Several runs of an agent on one instance count as their mean. Instances on which one agent has no score, for example
    because its run was cancelled, are left out.
    """
    rows = Run.objects.filter(experiment=comparison.experiment_id, state=RunState.FINISHED, score__isnull=False)
    scores: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    by_instance = rows.order_by().values_list("agent_id", "instance_id", "instance__seed")
    for agent, instance, seed, score in by_instance.annotate(mean=Avg("score")):
        if math.isfinite(score):
            scores[seed, instance][agent] = 100 * score
    return [
        [
            agent_scores[comparison.second_id] - agent_scores[comparison.first_id]
            for (seed, _), agent_scores in sorted(scores.items())
            if seed in seeds and {comparison.first_id, comparison.second_id} <= agent_scores.keys()
        ]
        for seeds in (set(comparison.seeds_of(stage)) for stage in range(1, comparison.stage + 1))
    ]


class MeasuredScores(NamedTuple):
    """What agents scored so far in one environment and difficulty.

    scores: means over the runs of an agent on an instance, in points
    run: standard deviation between such runs in points; None without repeats
    left: mean over agents and instances of 2 / (number of runs)
    """

    scores: Scores
    run: float | None
    left: float

    @classmethod
    def of(cls, runs: ScoredRuns) -> Self:
        scores: Scores = defaultdict(dict)
        keys, index = np.unique(np.stack(runs[:2]), axis=1, return_inverse=True)
        counts = np.bincount(index)
        means = np.bincount(index, runs.scores) / counts
        for agent, instance, mean in zip(*keys.tolist(), means.tolist(), strict=True):
            scores[agent][instance] = mean
        result = components(*runs[:3])
        run = None if isinstance(result, str) or RUN not in result.terms else result.terms[RUN].deviation
        return cls(scores, run, 2 * float(np.mean(1 / counts)))


NOTHING = MeasuredScores({}, None, 2.0)


def measured_scores(*, organization: Organization, plan: LaunchPlan) -> dict[tuple[str, str], MeasuredScores]:
    """The scores of all agents of the organization, by environment and difficulty of a plan. One query.

    Only runs with the plan's variant, generator and length count. CUSTOM has no scores, because its settings differ. If
    the plan compares models, only models count, because the scores of baselines spread otherwise.
    """
    cells = sorted({(run.environment, run.difficulty) for run in plan.runs})
    comparable_runs = Q()
    for name in plan.environments:
        longest = max(paper_periods(name, variant) for variant in plan.variants)
        comparable_runs |= Q(instance__environment=name, periods=min(plan.periods or longest, longest))
    runs = Run.objects.filter(
        comparable_runs,
        instance__difficulty__in=[difficulty for difficulty in plan.difficulties if difficulty != CUSTOM],
        organization=organization,
        state=RunState.FINISHED,
        score__isnull=False,
        imported=False,
        variant__in=plan.variants,
        instance__generator=plan.generator,
    ).order_by()
    if not any(agent.is_baseline for agent in plan.agents):
        runs = runs.filter(agent__baseline="")
    by_cell = scored_runs(runs)
    return {cell: MeasuredScores.of(by_cell[cell]) if cell in by_cell else NOTHING for cell in cells}
