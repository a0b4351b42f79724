"""Scheduling as pages show it."""

from games.parts import GameParts, Metric
from games.scheduling.episode_figure import scheduling_figure, scheduling_overlay
from games.scheduling.instance_figure import scheduling_instance
from games.scheduling.logs import SchedulingFormat
from games.scheduling.presenter import SchedulingPresenter
from games.scheduling.screen import SchedulingScreen

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
)  # fmt: skip

SCHEDULING = GameParts(
    figure=scheduling_figure,
    overlay=scheduling_overlay,
    instance_figure=scheduling_instance,
    presenter=SchedulingPresenter(),
    screen=SchedulingScreen(),
    log_format=SchedulingFormat(),
    metrics=METRICS,
)
