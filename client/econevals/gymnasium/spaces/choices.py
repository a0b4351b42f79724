"""Spaces of surveys with two options."""

from typing import Any

import numpy as np
from gymnasium import spaces

from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation, amounts
from environments.patience.environment import LATER, NOW, Patience


class Choices(GameSpaces[Patience]):
    """Spaces of patience. An action is how many of the period's equal questions are answered with the later money.

    Observations hold the later amount, its delay in years (both 0 after the last period), and the yearly interest rate
    in the prompt as a share (0 without one). The name of the user, if any, is only in the text of the prompt.
    """

    def __init__(self, game: Patience):
        super().__init__(game)
        self._cell = next(iter(game.open.values()))

    def action_space(self) -> spaces.Discrete[np.int64]:
        return spaces.Discrete(len(self._cell.flips) + 1)

    def observation_space(self) -> spaces.Dict:
        return spaces.Dict({"amount": amounts(1), "years": amounts(1), "interest_rate": amounts(1)})

    def decode(self, action: Action) -> dict[str, Any]:
        questions = self.game.questions()
        return self.game.tally({question.key: LATER if i < action else NOW for i, question in enumerate(questions)})

    def encode(self, action: dict[str, Any]) -> Action:
        if action["invalid"]:
            raise ValueError("The space does not express invalid answers.")
        return action[LATER]

    def observe(self) -> Observation:
        cell = None if self.game.finished else next(iter(self.game.open.values()))
        seen = {
            "amount": cell.amount if cell else 0.0,
            "years": cell.horizon.years if cell else 0.0,
            "interest_rate": (cell.rate or 0) / 100 if cell else 0.0,
        }
        return {name: np.array([value], dtype=np.float64) for name, value in seen.items()}

    def prompt(self) -> str:
        return self.game.questions()[0].prompt
