"""A pricing run: prices, optimal prices and profit."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from analysis.figures import theme
from analysis.figures.panels import Panel, panel_figure
from analysis.figures.theme import PlotlyFigure, Trace
from environments.base import Instance, Outcome
from infrastructure.text.formats import counted

FEW_PRODUCTS = 4
"""Up to this many products have a panel each, in dollars; more are rows of one heat map."""
FARTHEST = 1.0
"""Doublings: a price of at least twice or at most half the optimal one has the full colour."""
MOST_ABOVE = 2.5
"""Prices beyond this multiple of the highest optimal price are marked at the edge of their panel."""
LOWEST_SHARE = -0.5


def pricing_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Prices against the profit-maximising ones, by product, above the profit as a share of the optimum."""
    products = instance.parameters["products"]
    profit = _profit_panel(outcomes, last, colour)
    if len(products) <= FEW_PRODUCTS:
        panels = [_price_panel(instance, outcomes, index, last, colour) for index in range(len(products))]
        return panel_figure([*panels, profit], last, description=_description(instance, outcomes))
    panels = [_map_panel(instance, outcomes), profit]
    return panel_figure(panels, last, description=_description(instance, outcomes), left=76, hovermode="closest")


def _price_panel(instance: Instance, outcomes: Sequence[Outcome], index: int, last: int, colour: str) -> Panel:
    product = instance.parameters["products"][index]
    alone = len(instance.parameters["products"]) == 1
    x = [outcome.period for outcome in outcomes]
    prices = [float(outcome.action[product]) for outcome in outcomes]
    optimal = [period[index] for period in instance.reference["optimal_prices"]][: last + 1]
    low, high = theme.padded([*optimal, *(min(price, MOST_ABOVE * max(optimal)) for price in prices)])
    bounds = (max(low, 0.0), high)
    first = index == 0
    best = theme.reference(
        range(len(optimal)), optimal, "profit-maximising", hoverinfo="text", showlegend=first,
        hovertext=[f"profit-maximising ${price:.2f}" for price in optimal],
    )  # fmt: skip
    charged = theme.line(
        x, prices, "set by agent", colour, hovertext=[f"set by agent ${price:.2f}" for price in prices],
        showlegend=first, cliponaxis=True,
    )  # fmt: skip
    return Panel(
        title="price, $" if alone else f"{product}, $",
        traces=[best, theme.marked(theme.visible(charged)), *theme.off_scale(x, prices, bounds, colour)],
        height=200 if alone else 92,
        bounds=bounds,
        axis={"nticks": 7} if alone else {"nticks": 4},
    )


def _map_panel(instance: Instance, outcomes: Sequence[Outcome]) -> Panel:
    products = instance.parameters["products"]
    rows = len(products)
    keys = {"half of it or less": theme.PALETTE[0], "twice or more": theme.PALETTE[1]}
    return Panel(
        title="price against the profit-maximising one",
        # Traces without points are legend entries; Plotly's own colour bars break the content security policy.
        traces=[
            _heat_map(instance, outcomes),
            *(theme.dots([None], [None], *key, symbol="square", size=10, hoverinfo="skip") for key in keys.items()),
        ],
        height=max(8, min(20, 480 // rows)) * rows,
        bounds=(rows - 0.5, -0.5),
        axis={
            "tickmode": "array",
            "tickvals": list(range(rows)),
            "ticktext": [theme.plain(product, 11) for product in products],
            "showgrid": False,
        },
    )


def _heat_map(instance: Instance, outcomes: Sequence[Outcome]) -> Trace:
    """Colours by the price as a multiple of the optimal one, a row per product."""
    optimal = instance.reference["optimal_prices"]
    ratios, texts = [], []
    for index, product in enumerate(instance.parameters["products"]):
        pairs = [(outcome.action[product], optimal[outcome.period][index]) for outcome in outcomes]
        ratios.append([_doublings(price / best) for price, best in pairs])
        texts.append(
            [
                f"Period {outcome.period}, {product}: ${price:.2f}, optimal ${best:.2f} ({price / best - 1:+.0%})"
                for outcome, (price, best) in zip(outcomes, pairs, strict=True)
            ]
        )
    return {
        "type": "heatmap",
        "x": [outcome.period for outcome in outcomes],
        "y": list(range(len(ratios))),
        "z": ratios,
        "hovertext": texts,
        "hoverinfo": "text",
        "zmin": -FARTHEST,
        "zmax": FARTHEST,
        "colorscale": [[0, theme.PALETTE[0]], [0.5, theme.PANEL], [1, theme.PALETTE[1]]],
        "ygap": 2,
        "showscale": False,
    }


def _doublings(ratio: float) -> float:
    """The base-2 logarithm, limited to the range of the colours."""
    return max(-FARTHEST, min(FARTHEST, math.log2(ratio))) if ratio > 0 else -FARTHEST


def _profit_panel(outcomes: Sequence[Outcome], last: int, colour: str) -> Panel:
    x = [outcome.period for outcome in outcomes]
    shares = [outcome.result["share_of_optimum"] for outcome in outcomes]
    lowest = max(min(shares), LOWEST_SHARE)
    bounds = (min(lowest - 0.05, 0.9), 1.04)
    earned = theme.line(
        x, shares, "profit", colour, hovertext=[f"profit {share:.1%} of optimum" for share in shares],
        showlegend=False, cliponaxis=True,
    )  # fmt: skip
    best = theme.reference([0, last], [1, 1], "optimum", showlegend=False)
    return Panel(
        title="profit, % of optimum",
        traces=[best, theme.marked(theme.visible(earned)), *theme.off_scale(x, shares, bounds, colour)],
        height=92,
        bounds=bounds,
        axis={"tickformat": ".0%", "nticks": 4},
    )


def _description(instance: Instance, outcomes: Sequence[Outcome]) -> str:
    products = instance.parameters["products"]
    shares = [outcome.result["share_of_optimum"] for outcome in outcomes]
    optimal = instance.reference["optimal_prices"]
    text = f"{counted(len(outcomes), 'period,periods')} of pricing {counted(len(products), 'product,products')}. "
    if len(products) == 1:
        first, final = (outcomes[i].action[products[0]] for i in (0, -1))
        text += (
            f"The price went from ${first:.2f} to ${final:.2f}, the profit-maximising price from ${optimal[0][0]:.2f} "
            f"to ${optimal[outcomes[-1].period][0]:.2f}. "
        )
    average = statistics.fmean(shares)
    return f"{text}Profit was {average:.1%} of the optimum on average, {shares[-1]:.1%} in the last period."
