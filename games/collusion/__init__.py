"""Collusiveness versus competitiveness as pages show it."""

from games.collusion.episode_figure import collusion_figure, collusion_overlay
from games.collusion.instance_figure import collusion_instance
from games.collusion.logs import CollusionFormat
from games.collusion.presenter import CollusionPresenter
from games.collusion.screen import CollusionScreen
from games.parts import GameParts

COLLUSION = GameParts(
    figure=collusion_figure,
    overlay=collusion_overlay,
    instance_figure=collusion_instance,
    presenter=CollusionPresenter(),
    screen=CollusionScreen(),
    log_format=CollusionFormat(),
    litmus_charts={"markets": "main"},
)
