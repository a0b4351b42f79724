"""The presentation of collusiveness versus competitiveness."""

from games.collusion import episode_figure, instance_figure, logs, presenter, screen
from games.parts import GameParts

COLLUSION = GameParts(
    figure=episode_figure.collusion_figure,
    overlay=episode_figure.collusion_overlay,
    instance_figure=instance_figure.collusion_instance,
    presenter=presenter.CollusionPresenter(),
    screen=screen.CollusionScreen(),
    log_format=logs.CollusionFormat(),
    litmus_charts={"markets": "main"},
)
