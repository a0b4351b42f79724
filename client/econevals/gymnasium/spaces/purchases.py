"""Spaces of games in which an action is a purchase within a budget."""

from typing import Any

import numpy as np
from gymnasium import spaces

from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation, amounts, counts, shares
from environments.procurement.environment import Procurement

ROUNDING = 1e-6
"""Tolerance in cents: rounding of floating point may leave a share of the budget just short of a price."""


class Purchases(GameSpaces[Procurement]):
    """Spaces of procurement. An action is the share of the budget for each offer, shape (offers,).

    Shares that add up to more than 1 are scaled down to 1. An offer gets as many copies as its share pays for, and none
    below its minimum quantity. So every action is a feasible plan, and every feasible plan has an action.

    In observations `contents[i, j]` is the number of units of product j in a copy of offer i. Products are in the order
    of their categories, which are of equal size: A1, A2, ..., B1, B2, ...
    """

    def __init__(self, game: Procurement):
        super().__init__(game)
        offers = game.menu.offers
        products = [product for category in game.menu.categories for product in category]
        self._price = np.array([offer.price_cents for offer in offers])
        self._upfront = np.array([offer.upfront_cents or 0 for offer in offers])
        self._minimum = np.array([offer.min_quantity or 1 for offer in offers])
        self._contents = np.array([[offer.contents.get(product, 0) for product in products] for offer in offers])

    def action_space(self) -> spaces.Box:
        return shares(len(self._price))

    def observation_space(self) -> spaces.Dict:
        n = len(self._price)
        return spaces.Dict(
            {
                "budget": amounts(1),
                "prices": amounts(n),
                "upfront_costs": amounts(n),
                "minimum_quantities": counts(n),
                "contents": counts(*self._contents.shape),
                "plan": counts(n),
                "workers": amounts(1),
                "cost": amounts(1),
            }
        )

    def decode(self, action: Action) -> dict[str, Any]:
        cents = np.floor(action / max(action.sum(), 1.0) * self.game.menu.budget_cents + ROUNDING)
        copies = np.maximum(cents - self._upfront, 0).astype(np.int64) // self._price
        copies[copies < self._minimum] = 0
        return {offer.id: int(count) for offer, count in zip(self.game.menu.offers, copies, strict=True)}

    def encode(self, action: dict[str, Any]) -> Action:
        if not self.game.menu.is_feasible(action):
            raise ValueError("The space expresses only plans within the budget and the minimum quantities.")
        costs = [offer.cost_cents(action[offer.id]) for offer in self.game.menu.offers]
        return np.array(costs) / self.game.menu.budget_cents

    def observe(self) -> Observation:
        last = self.last
        plan = [last["plan"][offer.id] if last else 0 for offer in self.game.menu.offers]
        return {
            "budget": np.array([self.game.menu.budget_cents / 100]),
            "prices": self._price / 100,
            "upfront_costs": self._upfront / 100,
            "minimum_quantities": self._minimum.copy(),
            "contents": self._contents.copy(),
            "plan": np.array(plan, dtype=np.int64),
            "workers": np.array([last["workers"] if last else 0.0]),
            "cost": np.array([last["cost"] if last else 0.0]),
        }
