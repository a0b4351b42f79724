"""The presentation of efficiency versus equality."""

from games.equality import episode_figure, instance_figure, logs, presenter, screen
from games.parts import GameParts, Metric

METRICS = (
    Metric(
        "frontier_distance", "Distance from the frontier line", "% of the origin's",
        "mean distance from the line between largest efficiency and largest equality", "appendix L",
    ),
)  # fmt: skip

EQUALITY = GameParts(
    figure=episode_figure.equality_figure,
    overlay=episode_figure.equality_overlay,
    plane=episode_figure.plane_figure,
    instance_figure=instance_figure.equality_instance,
    presenter=presenter.EqualityPresenter(),
    screen=screen.EqualityScreen(),
    log_format=logs.EqualityFormat(),
    metrics=METRICS,
    litmus_charts={"pareto": "main"},
    has_litmus_strip=True,
)
