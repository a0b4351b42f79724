"""Two simple baselines: constant prices, and a local search in small steps from the best recent prices."""

import math
from collections.abc import Generator

from agents.baselines import reading
from agents.baselines.base import Baseline, Call, Choice
from agents.baselines.reading import Sale

MEMORY = 6
"""Number of recent periods to consider. The market drifts, so older profits say little."""

STEP = 0.08
"""Standard deviation of the step in log price."""


class Seller(Baseline):
    """A baseline of the environment pricing."""

    environments = ("pricing",)

    def market(self) -> Generator[Call, str, tuple[list[str], list[dict[str, Sale]]]]:
        """Get the products and the sales of the periods so far."""
        return (
            reading.ids((yield "get_product_ids", {})),
            reading.sales((yield "get_previous_pricing_data", {})),
        )


class Constant(Seller):
    slug = "pricing-constant"
    title = "Constant prices"
    description = "Sets every price to half the first recommended ceiling, in every period."

    def choose(self, period: int) -> Choice:
        products = reading.ids((yield "get_product_ids", {}))
        price = round(self.instance.parameters["price_ceilings"][0] / 2, 2)
        return dict.fromkeys(products, price), f"Every price stays at {price:.2f}, half of the first ceiling."


class LocalSearch(Seller):
    slug = "pricing-local-search"
    title = "Local search"
    description = "Takes the most profitable prices of the last six periods and moves each a little at random."

    def choose(self, period: int) -> Choice:
        products, history = yield from self.market()
        if not history:
            price = round(self.instance.parameters["price_ceilings"][period] / 2, 2)
            return dict.fromkeys(products, price), f"I begin with half of the ceiling, {price:.2f}, for every product."
        best = max(history[-MEMORY:], key=_total_profit)
        steps = self.rng(period).normal(0, STEP, len(products))
        prices = {p: round(best[p].price * math.exp(step), 2) for p, step in zip(products, steps, strict=True)}
        return prices, (
            f"The best prices I set lately earned {_total_profit(best):.2f}; "
            f"I moved them by {abs(steps).mean():.1%} on average."
        )


def _total_profit(sold: dict[str, Sale]) -> float:
    return math.fsum(sale.profit for sale in sold.values())
