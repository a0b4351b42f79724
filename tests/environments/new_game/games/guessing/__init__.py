"""Guessing as pages show it."""

from games.parts import GameParts
from tests.environments.new_game.games.guessing.episode_figure import guessing_figure
from tests.environments.new_game.games.guessing.presenter import GuessingPresenter

GUESSING = GameParts(figure=guessing_figure, presenter=GuessingPresenter())
