"""Spaces of games in which an action is a price for each product."""

from typing import Any

import numpy as np
from gymnasium import spaces

from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation, amounts, shares
from environments.base import SINGLE_SEAT, Outcome
from environments.collusion.environment import CollusivenessVersusCompetitiveness
from environments.pricing.environment import Pricing


class Prices(GameSpaces[Pricing]):
    """Spaces of pricing. Actions are prices as shares of the period's recommended ceiling.

    They are shares because ceilings differ between instances and periods.
    """

    def action_space(self) -> spaces.Box:
        return shares(len(self.game.products))

    def observation_space(self) -> spaces.Dict:
        n = len(self.game.products)
        return spaces.Dict(
            {
                "ceiling": amounts(1),
                "price": amounts(n),
                "quantity": amounts(n),
                "profit": amounts(n, low=-np.inf),
                "cost": amounts(n),
            }
        )

    @property
    def _ceiling(self) -> float:
        return self.upcoming(self.game.instance.parameters["price_ceilings"])

    def decode(self, action: Action) -> dict[str, Any]:
        return dict(zip(self.game.products, (action * self._ceiling).tolist(), strict=True))

    def encode(self, action: dict[str, Any]) -> Action:
        price_shares = np.array([action[product] for product in self.game.products]) / self._ceiling
        return _checked_shares(price_shares, self._ceiling)

    def observe(self) -> Observation:
        last = self.last
        seen = {"ceiling": np.array([self._ceiling])}
        for name in ("price", "quantity", "profit", "cost"):
            seen[name] = np.array([last["products"][product][name] if last else 0.0 for product in self.game.products])
        return seen


class MarketPrice(GameSpaces[CollusivenessVersusCompetitiveness]):
    """Spaces of a market. An action is one price, as a share of the recommended ceiling.

    Observations hold the last price of the rival if there is one.
    """

    def action_space(self) -> spaces.Box:
        return shares(1)

    def observation_space(self) -> spaces.Dict:
        names = ("ceiling", "price", "quantity", "cost", *(["rival_price"] if len(self.game.seats) > 1 else []))
        return spaces.Dict({"profit": amounts(1, low=-np.inf), **{name: amounts(1) for name in names}})

    def decode(self, action: Action) -> dict[str, Any]:
        return {self.game.products[0]: float(action[0]) * self.game.price_ceiling}

    def encode(self, action: dict[str, Any]) -> Action:
        ceiling = self.game.price_ceiling
        return _checked_shares(np.array([action[self.game.products[0]]]) / ceiling, ceiling)

    def observe(self) -> Observation:
        last = self.last
        seen = {name: last[name] if last else 0.0 for name in ("price", "quantity", "profit", "cost")}
        if len(self.game.seats) > 1:
            seen["rival_price"] = last["competitors"]["Competitor 1"]["price"] if last else 0.0
        return {name: np.array([value]) for name, value in {"ceiling": self.game.price_ceiling, **seen}.items()}

    def reward(self, outcome: Outcome) -> float:
        """Return the quality of the period. A market of two has no common best action, so there it is the own profit."""
        profit: float = outcome.result["profits"][SINGLE_SEAT]
        return profit if outcome.quality is None else outcome.quality


def _checked_shares(price_shares: Action, ceiling: float) -> Action:
    if (price_shares > 1).any():
        raise ValueError(f"The highest price that the space expresses is the recommended ceiling of {ceiling:.2f}.")
    return price_shares
