"""Patience versus impatience as pages show it."""

from games.parts import GameParts
from games.patience.episode_figure import patience_figure, patience_overlay
from games.patience.instance_figure import patience_instance
from games.patience.logs import PatienceAnswers
from games.patience.presenter import PatiencePresenter
from games.patience.screen import PatienceScreen

PATIENCE = GameParts(
    figure=patience_figure,
    overlay=patience_overlay,
    instance_figure=patience_instance,
    presenter=PatiencePresenter(),
    screen=PatienceScreen(),
    answer_format=PatienceAnswers(),
    litmus_charts={"patience": "main", "names": "user_name"},
)
