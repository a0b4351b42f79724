"""Workers supported, costs and feasibility of purchase plans. All money in integer cents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from environments.base import Instance
from environments.shocks import is_after

Plan = Mapping[str, int]


@dataclass(frozen=True)
class Offer:
    """A deal: price for each copy, and depending on `kind` an upfront cost or a minimum quantity."""

    id: str
    kind: str
    contents: Mapping[str, int]
    price_cents: int
    upfront_cents: int | None = None
    min_quantity: int | None = None

    def cost_cents(self, quantity: int) -> int:
        """Cost of `quantity` copies; 0 below the minimum quantity, because nothing is bought then.

        Negative and fractional quantities in imported logs get the cost that the published code computed.
        """
        if self.misses_minimum(quantity) or (self.upfront_cents is not None and quantity <= 0):
            return 0
        return (self.upfront_cents or 0) + quantity * self.price_cents

    def misses_minimum(self, quantity: int) -> bool:
        return self.min_quantity is not None and 0 < quantity < self.min_quantity


@dataclass(frozen=True)
class Menu:
    """The offers, the budget, and the effectiveness of each product, which the agent does not know."""

    offers: tuple[Offer, ...]
    categories: tuple[tuple[str, ...], ...]
    effectiveness: Mapping[str, int]
    budget_cents: int

    @classmethod
    def of(cls, instance: Instance, period: int = 0) -> Self:
        """The menu of a period, which differs before and after a shock."""
        parameters = instance.parameters
        shock = instance.hidden.get("shock", {}) if is_after(instance, period) else {}
        return cls(
            offers=tuple(Offer(**offer) for offer in parameters["offers"]),
            categories=tuple(tuple(category) for category in parameters["categories"]),
            effectiveness=instance.hidden["effectiveness"] | shock.get("effectiveness", {}),
            budget_cents=budget_at(instance, period),
        )

    @cached_property
    def by_id(self) -> dict[str, Offer]:
        return {offer.id: offer for offer in self.offers}

    @cached_property
    def contributions(self) -> tuple[dict[str, int], ...]:
        """For each category, the effectiveness that one copy of each offer adds to its sum; zeros are left out."""
        rows = (
            {
                offer.id: sum(self.effectiveness[item] * n for item, n in offer.contents.items() if item in members)
                for offer in self.offers
            }
            for members in map(set, self.categories)
        )
        return tuple({offer: value for offer, value in row.items() if value} for row in rows)

    def category_sums(self, plan: Plan) -> tuple[int, ...]:
        """The sum S_c of effectiveness times quantity in each category c, as integers."""
        return tuple(sum(value * plan.get(offer, 0) for offer, value in row.items()) for row in self.contributions)

    def cost_cents(self, plan: Plan) -> int:
        return sum(self.by_id[offer].cost_cents(quantity) for offer, quantity in plan.items())

    def missed_minimums(self, plan: Plan) -> list[Offer]:
        return [self.by_id[offer] for offer, quantity in plan.items() if self.by_id[offer].misses_minimum(quantity)]

    def is_feasible(self, plan: Plan) -> bool:
        return not self.missed_minimums(plan) and self.cost_cents(plan) <= self.budget_cents


def budget_at(instance: Instance, period: int) -> int:
    """The budget of a period in cents."""
    shock = instance.hidden.get("shock", {}) if is_after(instance, period) else {}
    return int(shock.get("budget_cents", instance.parameters["budget_cents"]))


def workers(sums: tuple[int, ...]) -> float:
    """Workers supported: the geometric mean of the category sums (paper, section 3.3.1)."""
    if not all(sums):
        return 0.0
    # A product below 2**53 is exact as a float, so the root for small plans is correctly rounded.
    product = math.prod(sums)
    if product < 2**53:
        return float(product ** (1 / len(sums)))
    return math.exp(math.fsum(math.log(value) for value in sums) / len(sums))


def log_value(sums: tuple[int, ...]) -> float:
    """The objective of the optimum: the sum of log S_c over the categories; minus infinity if a category is empty."""
    return math.fsum(math.log(value) for value in sums) if all(sums) else -math.inf
