"""Guessing: find a hidden number from being told whether each guess is too low or too high."""

from environments.guessing.instance import GENERATION
from tests.environments.new_game.environments.guessing.environment import Guessing

__all__ = ["GENERATION", "Guessing"]
