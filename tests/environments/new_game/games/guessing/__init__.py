"""Guessing as pages show it."""

from games.guessing.episode_figure import guessing_figure
from games.guessing.presenter import GuessingPresenter
from games.parts import GameParts

GUESSING = GameParts(figure=guessing_figure, presenter=GuessingPresenter())
