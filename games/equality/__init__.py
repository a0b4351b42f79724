"""Efficiency versus equality as pages show it."""

from games.equality.episode_figure import equality_figure, equality_overlay, plane_figure
from games.equality.instance_figure import equality_instance
from games.equality.logs import EqualityFormat
from games.equality.presenter import EqualityPresenter
from games.equality.screen import EqualityScreen
from games.parts import GameParts

EQUALITY = GameParts(
    figure=equality_figure,
    overlay=equality_overlay,
    plane=plane_figure,
    instance_figure=equality_instance,
    presenter=EqualityPresenter(),
    screen=EqualityScreen(),
    log_format=EqualityFormat(),
    litmus_charts={"pareto": "main"},
    has_litmus_strip=True,
)
