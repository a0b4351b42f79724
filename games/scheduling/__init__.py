"""The presentation of scheduling."""

from games.parts import RECOVERY, GameParts, Metric
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

SCHEDULING = GameParts(
    figure=episode_figure.scheduling_figure,
    overlay=episode_figure.scheduling_overlay,
    instance_figure=instance_figure.scheduling_instance,
    presenter=presenter.SchedulingPresenter(),
    screen=screen.SchedulingScreen(),
    log_format=logs.SchedulingFormat(),
    metrics=METRICS,
)
