"""The presentation of patience versus impatience."""

from games.parts import GameParts
from games.patience import episode_figure, instance_figure, logs, presenter, screen

PATIENCE = GameParts(
    figure=episode_figure.patience_figure,
    overlay=episode_figure.patience_overlay,
    instance_figure=instance_figure.patience_instance,
    presenter=presenter.PatiencePresenter(),
    screen=screen.PatienceScreen(),
    answer_format=logs.PatienceAnswers(),
    litmus_charts={"patience": "main", "reliability-curve": "main", "names": "user_name"},
)
