"""Base class of the spaces, and the encodings that several games share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from environments.base import Environment, Outcome

Action = Any
Observation = dict[str, Any]
Game = TypeVar("Game", bound=Environment)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class GameSpaces(ABC, Generic[Game]):
    """Actions and observations of the first seat of a game.

    The spaces are equal for all instances of a difficulty. Observations hold what an agent's tools print about the last
    period, rounded as printed, and about the coming one. Numbers about the last period are 0 before the first.
    """

    def __init__(self, game: Game):
        self.game = game

    @abstractmethod
    def action_space(self) -> spaces.Space[Any]: ...

    @abstractmethod
    def observation_space(self) -> spaces.Dict: ...

    @abstractmethod
    def decode(self, action: Action) -> dict[str, Any]:
        """The game's action for one of the space."""

    @abstractmethod
    def encode(self, action: dict[str, Any]) -> Action:
        """The action of the space for a valid one of the game. Raises ValueError if the space does not express it."""

    @abstractmethod
    def observe(self) -> Observation:
        """A new observation, with no array of an earlier one."""

    def reward(self, outcome: Outcome) -> float:
        """The quality of the period; 0 in games without a best action."""
        return outcome.quality or 0.0

    def prompt(self) -> str:
        """The text with which the period begins."""
        return self.game.initial_prompt()

    @property
    def last(self) -> dict[str, Any] | None:
        """What the history prints about the last period."""
        return self.game.observed(self.game.outcomes[-1]) if self.game.outcomes else None

    def upcoming(self, values: Sequence[float]) -> float:
        """The value of the coming period; of the last period after the end."""
        return values[min(self.game.period, len(values) - 1)]


def shares(length: int) -> spaces.Box:
    return spaces.Box(0.0, 1.0, (length,), np.float64)


def amounts(*shape: int, low: float = 0.0) -> spaces.Box:
    """Numbers without an upper bound."""
    return spaces.Box(low, np.inf, shape, np.float64)


def counts(*shape: int) -> spaces.Box:
    return spaces.Box(0, np.iinfo(np.int64).max, shape, np.int64)


def orders(length: int) -> spaces.MultiDiscrete:
    """All orders of `length` things: each number picks from those that are left (Lehmer code), so every action is valid."""
    return spaces.MultiDiscrete(np.arange(length, 0, -1))


def order_of(code: Ints, things: Sequence[str]) -> list[str]:
    left = list(things)
    return [left.pop(int(number)) for number in code]


def code_of(order: Sequence[str], things: Sequence[str]) -> Ints:
    """The inverse of `order_of`."""
    left, code = list(things), []
    for thing in order:
        code.append(left.index(thing))
        left.remove(thing)
    return np.array(code, dtype=np.int64)
