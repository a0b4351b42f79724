"""A small panel of the prices of several runs of one instance (paper, figure 6)."""

import statistics
from collections.abc import Sequence
from operator import truediv

from environments.base import Instance
from games.overlay import RunPath, values_of, with_edges
from games.pricing.episode_figure import MOST_ABOVE, best_constant_prices, constant_line, price_ratio
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel


def price_course(instance: Instance, runs: Sequence[RunPath], last: int) -> Panel:
    """Prices, the optimal price of each period, and the best constant price.

    One product has its prices in dollars. Several have the mean over products of price divided by optimal price.
    """
    products, optimal = instance.parameters["products"], instance.reference["optimal_prices"][: last + 1]
    constants = best_constant_prices(instance, last)
    alone = len(products) == 1
    if alone:
        best, constant = [prices[0] for prices in optimal], constants * len(optimal)
        unit = "price, $"
    else:
        best, unit = [1.0] * len(optimal), "price ÷ optimal price"
        constant = [statistics.fmean(map(truediv, constants, prices)) for prices in optimal]
    charged = []
    for run in runs:
        values = [
            float(outcome.action[products[0]]) if alone else price_ratio(instance, outcome) for outcome in run.outcomes
        ]
        charged.append(run.line(values, [f"${value:.2f}" if alone else f"{value:.2f} × optimal" for value in values]))
    ceiling = MOST_ABOVE * max(best)
    low, high = theme.padded([*best, *constant, *(min(value, ceiling) for value in values_of(charged))])
    bounds = (max(low, 0.0), high)
    periods = range(len(optimal))
    # Above the runs, since a good agent's prices would cover the optimal ones.
    dashed = {"color": theme.INK, "width": 1.25, "dash": "4px,3px"}
    lines = [theme.reference(periods, best, "optimal price", line=dashed), constant_line(periods, constant)]
    return Panel(unit, [*with_edges(charged, bounds), *lines], 130, bounds, {"nticks": 4})
