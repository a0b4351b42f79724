"""Games in which an action is a price for each product."""

from typing import Any

import numpy as np
from gymnasium import spaces

from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation, amounts, shares
from environments.base import SINGLE_SEAT, Outcome
from environments.collusion.environment import CollusivenessVersusCompetitiveness
from environments.pricing.environment import Pricing


class Prices(GameSpaces[Pricing]):
    """Prices as shares of the recommended ceiling of the period, because ceilings differ between instances and periods."""

    def action_space(self) -> spaces.Box:
        return shares(len(self.game.products))

    def observation_space(self) -> spaces.Dict:
        n = len(self.game.products)
        return spaces.Dict(
            {
                "ceiling": amounts(1),
                "costs": amounts(n),
                "prices": amounts(n),
                "quantities": amounts(n),
                "profits": amounts(n, low=-np.inf),
            }
        )

    @property
    def _ceiling(self) -> float:
        return self.upcoming(self.game.instance.parameters["price_ceilings"])

    def decode(self, action: Action) -> dict[str, Any]:
        return dict(zip(self.game.products, (action * self._ceiling).tolist(), strict=True))

    def encode(self, action: dict[str, Any]) -> Action:
        found = np.array([action[product] for product in self.game.products]) / self._ceiling
        return _within(found, self._ceiling)

    def observe(self) -> Observation:
        last, products = self.last, self.game.products
        values = {"prices": last.action, **last.result} if last else {}
        return {
            "ceiling": np.array([self._ceiling]),
            "costs": np.array(self.game.instance.parameters["costs"]),
        } | {
            name: np.array([values[name][product] for product in products]) if values else np.zeros(len(products))
            for name in ("prices", "quantities", "profits")
        }


class MarketPrice(GameSpaces[CollusivenessVersusCompetitiveness]):
    """One price as a share of the recommended ceiling. A rival's last price is observed where there is a rival."""

    def action_space(self) -> spaces.Box:
        return shares(1)

    def observation_space(self) -> spaces.Dict:
        names = ("ceiling", "cost", "price", "quantity", *(["rival_price"] if len(self.game.seats) > 1 else []))
        return spaces.Dict({name: amounts(1) for name in names} | {"profit": amounts(1, low=-np.inf)})

    def decode(self, action: Action) -> dict[str, Any]:
        return {self.game.products[0]: float(action[0]) * self.game.price_ceiling}

    def encode(self, action: dict[str, Any]) -> Action:
        ceiling = self.game.price_ceiling
        return _within(np.array([action[self.game.products[0]]]) / ceiling, ceiling)

    def observe(self) -> Observation:
        last = self.last
        seen = {
            "ceiling": self.game.price_ceiling,
            "cost": self.game.market.cost,
            "price": last.action[SINGLE_SEAT] if last else 0.0,
            "quantity": last.result["quantities"][SINGLE_SEAT] if last else 0.0,
            "profit": last.result["profits"][SINGLE_SEAT] if last else 0.0,
        }
        for rival in self.game.seats[1:]:
            seen["rival_price"] = last.action[rival] if last else 0.0
        return {name: np.array([value]) for name, value in seen.items()}

    def reward(self, outcome: Outcome) -> float:
        """The quality of the period; in a market of two, which has no common best, the own profit."""
        profit: float = outcome.result["profits"][SINGLE_SEAT]
        return profit if outcome.quality is None else outcome.quality


def _within(found: Action, ceiling: float) -> Action:
    if (found > 1).any():
        raise ValueError(f"The highest price that the space expresses is the recommended ceiling of {ceiling:.2f}.")
    return found
