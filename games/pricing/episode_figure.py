"""Figures of a pricing run: prices, optimal prices and profit."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from environments.base import Instance, Outcome
from environments.pricing.economics import Demand
from games.overlay import RunPath, overlay_panels, values_of, with_edges
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure, path
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

FEW_PRODUCTS = 4
"""Maximum number of products with separate panels of prices in dollars. More products are rows of one heat map."""
FARTHEST = 1.0
"""Limit of the colour scale in doublings: prices at least twice or at most half the optimal price have full colour."""
MOST_ABOVE = 2.5
"""Highest price shown, as a multiple of the highest optimal price. Higher prices are marked at the edge of the panel."""
LOWEST_SHARE = -0.5


def pricing_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Prices and profit-maximising prices by product; below, the profit as a share of the optimum."""
    products = instance.parameters["products"]
    shares = [outcome.result["share_of_optimum"] for outcome in outcomes]
    description = (
        f"{counted(len(outcomes), 'period,periods')} of pricing {counted(len(products), 'product,products')}. "
    )
    if len(products) == 1:
        first, final = (outcomes[i].action[products[0]] for i in (0, -1))
        optimal = instance.reference["optimal_prices"]
        description += (
            f"The price went from ${first:.2f} to ${final:.2f}, the profit-maximising price from ${optimal[0][0]:.2f} "
            f"to ${optimal[outcomes[-1].period][0]:.2f}. "
        )
    average = statistics.fmean(shares)
    description += f"Profit was {average:.1%} of the optimum on average, {shares[-1]:.1%} in the last period."
    profit = _profit_panel(outcomes, shares, last, colour)
    if len(products) <= FEW_PRODUCTS:
        constants = best_constant_prices(instance, last)
        panels = [_price_panel(instance, outcomes, index, last, colour, constants) for index in range(len(products))]
        return panel_figure([*panels, profit], last, description=description)
    panels = [_map_panel(instance, outcomes), profit]
    return panel_figure(panels, last, description=description, left=76, hovermode="closest")


def best_constant_prices(instance: Instance, last: int) -> list[float]:
    """The price of each product that earns most if it stays the same from period 0 to `last` (paper, figure 6)."""
    return Demand.of(instance).best_constant_prices(instance.hidden["alphas"][: last + 1]).tolist()


def constant_line(x: Sequence[float], y: Sequence[float], **options: Any) -> Trace:
    """The dotted line of the best constant price."""
    look = {"color": theme.SOFT, "width": 1.5, "dash": "1.5px,3px"}
    return theme.reference(x, y, "best constant price", line=look, **options)


def _price_panel(
    instance: Instance, outcomes: Sequence[Outcome], index: int, last: int, colour: str, constants: Sequence[float]
) -> Panel:
    product = instance.parameters["products"][index]
    alone = len(instance.parameters["products"]) == 1
    prices = [float(outcome.action[product]) for outcome in outcomes]
    optimal = [period[index] for period in instance.reference["optimal_prices"]][: last + 1]
    low, high = theme.padded([*optimal, *(min(price, MOST_ABOVE * max(optimal)) for price in prices)])
    bounds = (max(low, 0.0), high)
    first = index == 0
    best = theme.reference(
        range(len(optimal)), optimal, "profit-maximising", hoverinfo="text", showlegend=first,
        hovertext=[f"profit-maximising ${price:.2f}" for price in optimal],
    )  # fmt: skip
    constant = constant_line(
        [0, len(optimal) - 1], [constants[index]] * 2, hoverinfo="text", showlegend=first,
        hovertext=f"best constant price ${constants[index]:.2f}",
    )  # fmt: skip
    texts = [f"set by agent ${price:.2f}" for price in prices]
    charged = path(outcomes, prices, "set by agent", colour, texts, showlegend=first, cliponaxis=True)
    return Panel(
        title="price, $" if alone else f"{product}, $",
        traces=[best, constant, theme.marked(charged), *theme.off_scale(charged["x"], prices, bounds, colour)],
        height=200 if alone else 92,
        bounds=bounds,
        axis={"nticks": 7 if alone else 4},
    )


def _map_panel(instance: Instance, outcomes: Sequence[Outcome]) -> Panel:
    """A heat map of prices as multiples of the optimal prices, one row for each product."""
    products = instance.parameters["products"]
    rows = len(products)
    ratios, texts = [], []
    for index, product in enumerate(products):
        pairs = [
            (outcome.action[product], instance.reference["optimal_prices"][outcome.period][index])
            for outcome in outcomes
        ]
        ratios.append([_doublings(price / best) for price, best in pairs])
        texts.append(
            [
                f"Period {outcome.period}, {product}: ${price:.2f}, optimal ${best:.2f} ({price / best - 1:+.0%})"
                for outcome, (price, best) in zip(outcomes, pairs, strict=True)
            ]
        )
    heat_map = {
        "type": "heatmap",
        "x": [outcome.period for outcome in outcomes], "y": list(range(rows)), "z": ratios,
        "hovertext": texts, "hoverinfo": "text",
        "zmin": -FARTHEST, "zmax": FARTHEST, "ygap": 2, "showscale": False,
        "colorscale": [[0, theme.PALETTE[0]], [0.5, theme.PANEL], [1, theme.PALETTE[1]]],
    }  # fmt: skip
    # Traces without points are legend entries; Plotly's own colour bars break the content security policy.
    keys = {"half of it or less": theme.PALETTE[0], "twice or more": theme.PALETTE[1]}
    legend = [theme.dots([None], [None], *key, symbol="square", size=10, hoverinfo="skip") for key in keys.items()]
    names = [theme.plain(product, 11) for product in products]
    return Panel(
        title="price against the profit-maximising one",
        traces=[heat_map, *legend],
        height=max(8, min(20, 480 // rows)) * rows,
        bounds=(rows - 0.5, -0.5),
        axis={"tickmode": "array", "tickvals": list(range(rows)), "ticktext": names, "showgrid": False},
    )


def _doublings(ratio: float) -> float:
    """The base-2 logarithm of a ratio, limited to the range of the colour scale."""
    return max(-FARTHEST, min(FARTHEST, math.log2(ratio))) if ratio > 0 else -FARTHEST


def _profit_panel(outcomes: Sequence[Outcome], shares: Sequence[float], last: int, colour: str) -> Panel:
    bounds = (min(max(min(shares), LOWEST_SHARE) - 0.05, 0.9), 1.04)
    texts = [f"profit {share:.1%} of optimum" for share in shares]
    earned = path(outcomes, shares, "profit", colour, texts, showlegend=False, cliponaxis=True)
    best = theme.reference([0, last], [1, 1], "optimum", showlegend=False)
    return Panel(
        title="profit, % of optimum",
        traces=[best, theme.marked(earned), *theme.off_scale(earned["x"], shares, bounds, colour)],
        height=92,
        bounds=bounds,
        axis={"tickformat": ".0%", "nticks": 4},
    )


def pricing_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """Two panels with one line for each run: profit as a share of the optimum; prices as multiples of the optimal ones."""
    earned, charged = [], []
    for run in runs:
        shares = [outcome.result["share_of_optimum"] for outcome in run.outcomes]
        ratios = [price_ratio(instance, outcome) for outcome in run.outcomes]
        earned.append(run.line(shares, [f"profit {share:.1%} of optimum" for share in shares]))
        charged.append(run.line(ratios, [f"price {ratio:.2f} times the profit-maximising one" for ratio in ratios]))
    worst, best = min(values_of(earned)), max(1.0, *values_of(earned))
    share_bounds = (min(max(worst, LOWEST_SHARE) - 0.05, 0.9), best + 0.04)
    low, high = theme.padded([1.0, *(min(ratio, MOST_ABOVE) for ratio in values_of(charged))])
    ratio_bounds = (max(low, 0.0), high)
    optimum = theme.reference([0, last], [1, 1], "optimum", showlegend=False)
    several = ", mean over products" if len(instance.parameters["products"]) > 1 else ""
    panels = [
        Panel("profit, % of optimum", [optimum, *with_edges(earned, share_bounds)], 200, share_bounds,
              {"tickformat": ".0%"}),
        Panel(f"price ÷ profit-maximising price{several}", [optimum, *with_edges(charged, ratio_bounds)], 130,
              ratio_bounds, {"nticks": 5}),
    ]  # fmt: skip
    return overlay_panels(panels, last, runs, "Profit as a share of the optimum, and prices against the best ones.")


def price_ratio(instance: Instance, outcome: Outcome) -> float:
    """Price divided by the optimal price of the period, the mean over products."""
    optimal = instance.reference["optimal_prices"][outcome.period]
    prices = (float(outcome.action[product]) for product in instance.parameters["products"])
    return statistics.fmean(price / best for price, best in zip(prices, optimal, strict=True))
