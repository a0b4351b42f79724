"""Base class of the spaces, and encodings for several games."""

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
    """Action and observation spaces for the first seat of a game, and conversions between them and the game.

    The spaces are equal for all instances of a difficulty. Observations hold what an agent's tools print about the last
    and the coming period, rounded as printed. Before the first period, numbers about the last period are 0.
    """

    def __init__(self, game: Game):
        self.game = game

    @abstractmethod
    def action_space(self) -> spaces.Space[Any]: ...

    @abstractmethod
    def observation_space(self) -> spaces.Dict: ...

    @abstractmethod
    def decode(self, action: Action) -> dict[str, Any]:
        """Convert an action of the space to an action of the game."""

    @abstractmethod
    def encode(self, action: dict[str, Any]) -> Action:
        """Convert a valid action of the game to one of the space. Raises ValueError if the space cannot express it."""

    @abstractmethod
    def observe(self) -> Observation:
        """Return a new observation, which shares no array with earlier ones."""

    def reward(self, outcome: Outcome) -> float:
        """Return the quality of the period, at most 1; 0 in games without a best action."""
        return outcome.quality or 0.0

    def prompt(self) -> str:
        """Return the text with which the period begins."""
        return self.game.initial_prompt()

    @property
    def last(self) -> dict[str, Any] | None:
        """What the history tool prints about the last period; None before the first."""
        return self.game.observed(self.game.outcomes[-1]) if self.game.outcomes else None

    def upcoming(self, values: Sequence[float]) -> float:
        """Return the value of the coming period from the values by period; after the end, that of the last period."""
        return values[min(self.game.period, len(values) - 1)]


def shares(length: int) -> spaces.Box:
    return spaces.Box(0.0, 1.0, (length,), np.float64)


def amounts(*shape: int, low: float = 0.0) -> spaces.Box:
    """Return a space of real numbers from `low`, without an upper bound."""
    return spaces.Box(low, np.inf, shape, np.float64)


def counts(*shape: int) -> spaces.Box:
    return spaces.Box(0, np.iinfo(np.int64).max, shape, np.int64)


def orders(length: int) -> spaces.MultiDiscrete:
    """Return a space of all orders of `length` things, as Lehmer codes. Every action in it is valid.

    Each number of a code is an index into the things that earlier numbers have not picked.
    """
    return spaces.MultiDiscrete(np.arange(length, 0, -1))


def order_of(code: Ints, things: Sequence[str]) -> list[str]:
    left = list(things)
    return [left.pop(int(number)) for number in code]


def code_of(order: Sequence[str], things: Sequence[str]) -> Ints:
    """Return the Lehmer code of an order. It is the inverse of `order_of`."""
    left, code = list(things), []
    for thing in order:
        code.append(left.index(thing))
        left.remove(thing)
    return np.array(code, dtype=np.int64)
