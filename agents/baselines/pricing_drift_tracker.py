"""Drift tracker: estimates the drift of alpha from the history and fits demand again every period.

The tools print price, quantity, profit and cost. Revenue per unit is profit / quantity + cost, and price divided by it is the
rate of a product (alpha). Only the rate drifts; demand as a function of revenue is constant.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agents.baselines import reading
from agents.baselines.base import Baseline, Play
from agents.baselines.forecasting import Floats, forecast
from agents.baselines.reading import Sale

LEAST_QUANTITY = 0.3
"""Below this quantity, rounding to two decimals makes the estimated rate too imprecise."""

FIRST_MARGIN = 1.5
"""Margin as a multiple of the unit cost before demand can be fitted."""


@dataclass(frozen=True)
class SalesHistory:
    """What was sold, arrays (periods, n)."""

    price: Floats
    quantity: Floats
    profit: Floats
    cost: Floats

    @classmethod
    def of(cls, history: list[dict[str, Sale]], products: list[str]) -> Self:
        table = np.array([[sold[product] for product in products] for sold in history], dtype=float)
        return cls(*table.reshape(len(history), len(products), 4).transpose(2, 0, 1))

    def rates(self) -> tuple[Floats, Floats]:
        """Price divided by revenue per unit, and the weight of each estimate, 0 if hardly anything was sold."""
        sold = self.quantity >= LEAST_QUANTITY
        revenue = np.divide(self.profit, self.quantity, out=np.zeros_like(self.profit), where=sold) + self.cost
        has_rate = sold & (revenue > 0) & (self.price > 0)
        rates = np.divide(self.price, revenue, out=np.zeros_like(self.price), where=has_rate)
        return rates, np.where(has_rate, np.minimum(self.quantity, 5.0) ** 2, 0.0)


class DriftTracker(Baseline):
    slug = "pricing-drift-tracker"
    title = "Drift tracker"
    description = "Forecasts how the market moves, re-fits demand every period and prices for the next one."
    environments = ("pricing",)

    def play(self, period: int) -> Play:
        products = reading.ids((yield "get_product_ids", {}))
        history = reading.sales((yield "get_previous_pricing_data", {}))
        start = self.instance.parameters["price_ceilings"][period] / 2
        # Where nothing sells, cheaper prices find out what does.
        prices = np.full(len(products), start * 0.7 ** len(history))
        note = f"I have no data yet, so I begin with half of the ceiling, {start:.2f}."
        if history:
            sales = SalesHistory.of(history, products)
            rates, trust = sales.rates()
            has_rate: NDArray[np.bool_] = np.asarray(trust.any(axis=0))
            note = "Too little sold to learn from, so I lower all prices."
            if has_rate.any():
                rate, shape = forecast(rates[:, has_rate], trust[:, has_rate])
                # A factor that converges to 1. Margins must differ between periods, or demand cannot be fitted.
                explored = 0.3 / (1 + period / 8) * float(self.rng(period).uniform(0.3, 1))
                margin = best_margin(sales) * (1 + (1 if period % 2 else -1) * explored)
                prices[has_rate] = rate * (sales.cost[-1, has_rate] + margin)
                names = [product for product, is_known in zip(products, has_rate, strict=True) if is_known]
                expectations = [f"a rate of {r:.2f} for {name}" for name, r in list(zip(names, rate, strict=True))[:3]]
                listed = ", ".join(expectations) + (" and so on" if len(names) > 3 else "")
                note = f"I see {shape}, expect {listed}, and take a margin of {margin:.2f}."
        yield "write_notes", {"notes": note}
        yield self.act({product: round(float(price), 2) for product, price in zip(products, prices, strict=True)})


def best_margin(sales: SalesHistory) -> float:
    """The margin that earns most, from a regression of log quantity on the average margin and its square.

    If log demand is concave, profit has one peak. It is searched near the margins tried so far.
    """
    quantity, profit = sales.quantity.sum(axis=1), sales.profit.sum(axis=1)
    sold = quantity >= LEAST_QUANTITY
    margins, logs = profit[sold] / quantity[sold], np.log(quantity[sold])
    if len(margins) < 4 or np.ptp(margins) < 1e-3:
        return FIRST_MARGIN * float(sales.cost[-1].mean()) * (0.8 if len(margins) % 2 else 1.2)
    weights = np.sqrt(quantity[sold])
    spread = margins.max() - margins.min()
    grid = np.linspace(max(0.05, margins.min() - 0.3 * spread), margins.max() + 0.3 * spread, 400)
    slope, _ = np.polyfit(margins, logs, 1, w=weights)
    curve = np.polyfit(margins, logs, 2, w=weights)
    fitted = np.polyval(curve, grid) if curve[0] <= 0 else slope * grid
    return float(grid[np.argmax(np.log(grid) + fitted)])
