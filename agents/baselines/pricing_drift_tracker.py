"""Drift tracker: estimates the drift of alpha from the history and fits demand again every period.

The tools print price, quantity, profit and cost. Revenue per unit is profit / quantity + cost. The rate of a product
(alpha) is its price divided by revenue per unit. Only the rate drifts; demand as a function of revenue is constant.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agents.baselines.base import Choice
from agents.baselines.pricing_simple import Seller
from agents.baselines.reading import Sale

Floats = NDArray[np.float64]

CYCLES = range(6, 31)
"""Cycle lengths to try, in periods."""

ENOUGH_FOR_LINE, ENOUGH_FOR_WAVE = 3, 8


def forecast(values: Floats, weights: Floats) -> tuple[Floats, str]:
    """Forecast the next value of each series. Return the forecasts, (n,), and the shape of the best fit in words.

    values: (periods, n), each column a series with at least one value above 0
    weights: (periods, n), the weight of each value, 0 for missing values
    """
    periods = len(values)
    seen = (weights > 0).sum(axis=0).min()
    candidates = [("no drift", np.ones((periods + 1, 1)))]
    if seen >= ENOUGH_FOR_LINE:
        candidates.append(("a steady trend", np.column_stack([np.ones(periods + 1), np.linspace(0, 1, periods + 1)])))
    if seen >= ENOUGH_FOR_WAVE:
        # The length of a cycle cannot be estimated from less than two thirds of it.
        for length in (length for length in CYCLES if 3 * periods >= 2 * length):
            angle = 2 * np.pi * np.arange(periods + 1) / length
            wave = np.column_stack([np.ones(periods + 1), np.sin(angle), np.cos(angle)])
            candidates.append((f"a cycle of {length} periods", wave))
    fits = [(*_fit(design, values, weights), shape) for shape, design in candidates]
    _, prediction, shape = min(fits, key=lambda fit: fit[0])
    scale = (values * weights).sum(axis=0) / weights.sum(axis=0)
    # A fit to few periods may predict extreme values.
    return np.clip(prediction, scale / 3, scale * 3), shape


def _fit(design: Floats, values: Floats, weights: Floats) -> tuple[float, Floats]:
    """Fit every series by weighted least squares.

    `design` has one row more than `values`: the period to predict. Returns the Bayesian information criterion of all
    series together, and the prediction.
    """
    past, terms = design[:-1], design.shape[1]
    gram = np.einsum("tn,ti,tj->nij", weights, past, past) + 1e-9 * weights.sum(axis=0)[:, None, None] * np.eye(terms)
    moment = np.einsum("tn,ti,tn->ni", weights, past, values)
    beta = np.linalg.solve(gram, moment[..., None])[..., 0]
    scale = (values * weights).sum(axis=0) / weights.sum(axis=0)
    errors = weights * ((values - past @ beta.T) / scale) ** 2
    count = int((weights > 0).sum())
    misfit = errors.sum() / weights.sum() + 1e-8
    return float(count * np.log(misfit) + terms * values.shape[1] * np.log(count)), design[-1] @ beta.T


LEAST_QUANTITY = 0.3
"""Minimum quantity for an estimate of the rate. Below it, rounding to two decimals makes the estimate too imprecise."""

FIRST_MARGIN = 1.5
"""Margin, as a multiple of the unit cost, that is used until demand can be fitted."""


@dataclass(frozen=True)
class SalesHistory:
    """Sales so far, as arrays of the shape (periods, n)."""

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


class DriftTracker(Seller):
    slug = "pricing-drift-tracker"
    title = "Drift tracker"
    description = "Forecasts how the market moves, re-fits demand every period and prices for the next one."

    def choose(self, period: int) -> Choice:
        products, history = yield from self.market()
        start = self.instance.parameters["price_ceilings"][period] / 2
        # If nothing sells, lower the price every period until something does.
        prices = np.full(len(products), start * 0.7 ** len(history))
        note = f"I have no data yet, so I begin with half of the ceiling, {start:.2f}."
        if history:
            sales = SalesHistory.of(history, products)
            rates, trust = sales.rates()
            has_rate: NDArray[np.bool_] = np.asarray(trust.any(axis=0))
            note = "Too little sold to learn from, so I lower all prices."
            if has_rate.any():
                rate, shape = forecast(rates[:, has_rate], trust[:, has_rate])
                # Random exploration that gets smaller. Demand can only be fitted if margins differ between periods.
                explored = 0.3 / (1 + period / 8) * float(self.rng(period).uniform(0.3, 1))
                margin = best_margin(sales) * (1 + (1 if period % 2 else -1) * explored)
                prices[has_rate] = rate * (sales.cost[-1, has_rate] + margin)
                names = [product for product, is_known in zip(products, has_rate, strict=True) if is_known]
                expectations = [f"a rate of {r:.2f} for {name}" for name, r in list(zip(names, rate, strict=True))[:3]]
                listed = ", ".join(expectations) + (" and so on" if len(names) > 3 else "")
                note = f"I see {shape}, expect {listed}, and take a margin of {margin:.2f}."
        return {product: round(float(price), 2) for product, price in zip(products, prices, strict=True)}, note


def best_margin(sales: SalesHistory) -> float:
    """The most profitable margin, from a regression of log quantity on the average margin and its square.

    If log demand is concave, profit has a single maximum. It is searched near the margins tried so far.
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
