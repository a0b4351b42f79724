"""Guessing: find a hidden number from being told whether each guess is too low or too high."""

from environments.guessing.environment import Guessing
from environments.guessing.instance import GENERATION

__all__ = ["GENERATION", "Guessing"]
