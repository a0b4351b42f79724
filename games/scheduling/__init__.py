"""The presentation of scheduling."""

from collections.abc import Mapping, Sequence
from typing import Any

from environments.scheduling.environment import quality
from environments.scheduling.instance import EXPECTED, EXPECTED_AFTER
from environments.shocks import PERIOD
from games.parts import RECOVERY, GameParts, Metric, PeriodScores, SolveTime
from games.scheduling import episode_figure, instance_figure, logs, presenter, screen

METRICS = (
    Metric(
        "best_so_far_rate", "Best-so-far rate", "% of assignments",
        "share of assignments better than every earlier one of the run", "EconAgentBench, table 3",
    ),
    Metric(
        "requery_rate", "Requery rate", "% of assignments",
        "share of assignments with a blocking pair that was given as feedback before", "figure 7",
    ),
    Metric(
        "exploration_rate", "Exploration rate", "% of assignments",
        "distinct assignments as a share of all assignments", "figure 17",
    ),
    RECOVERY,
)  # fmt: skip


def _qualities(blocking_pairs: Sequence[int], reference: Mapping[str, Any]) -> list[float]:
    """The quality of each period, which without a shock is the score of a run that ends with it."""
    before = reference[EXPECTED]
    after = reference.get(EXPECTED_AFTER, before)
    return [quality(count, before if period < PERIOD else after) for period, count in enumerate(blocking_pairs)]


SCHEDULING = GameParts(
    figure=episode_figure.scheduling_figure,
    overlay=episode_figure.scheduling_overlay,
    instance_figure=instance_figure.scheduling_instance,
    presenter=presenter.SchedulingPresenter(),
    screen=screen.SchedulingScreen(),
    log_format=logs.SchedulingFormat(),
    metrics=METRICS,
    solve_time=SolveTime("periods_to_stability", "first stable assignment"),
    period_scores=PeriodScores(
        "blocking_pairs_by_period", "assignment of the period", _qualities, needs_reference=True
    ),
)
