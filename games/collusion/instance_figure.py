"""Figure of an instance of collusiveness versus competitiveness: profits by price, and best responses."""

import numpy as np

from environments.base import Instance
from environments.collusion.economics import Market
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

HEIGHT = 260
POINTS = 61
HIGHEST = 1.6
"""Highest price shown, as a multiple of the collusive price."""


def collusion_instance(instance: Instance) -> PlotlyFigure:
    """Profit of a seller by its price, without a rival and for two prices of the rival; its best response to any price."""
    market = Market.of(instance)
    nash, collusive, alone = market.nash_price(), market.collusive_price(), market.single_agent_price()
    prices = np.linspace(market.real_cost * market.alpha, HIGHEST * max(collusive, alone), POINTS).tolist()
    description = (
        f"The Nash price is ${nash:.2f}, the collusive price ${collusive:.2f}, the optimum of a single seller ${alone:.2f}. "
        f"At Nash prices each seller earns ${market.profits([nash] * 2)[0]:.2f} a period, at collusive prices "
        f"${market.profits([collusive] * 2)[0]:.2f}."
    )
    return grid_figure(
        [_profits(market, prices, nash, collusive, alone), _responses(market, prices, nash, collusive)],
        columns=2, height=HEIGHT, description=description,
    )  # fmt: skip


def _profits(market: Market, prices: list[float], nash: float, collusive: float, alone: float) -> Tile:
    traces: list[Trace] = []
    top = 0.0
    for name, rival, best, colour in (
        ("no rival", [], alone, theme.PALETTE[2]),
        ("rival at the collusive price", [collusive], market.best_response([collusive]), theme.PALETTE[0]),
        ("rival at the Nash price", [nash], market.best_response([nash]), theme.PALETTE[1]),
    ):
        earned = [market.profits([price, *rival])[0] for price in prices]
        highest = market.profits([best, *rival])[0]
        texts = [f"price ${price:.2f}, {name}: ${profit:,.2f}" for price, profit in zip(prices, earned, strict=True)]
        traces.append(theme.line(prices, earned, name, colour, hovertext=texts))
        text = f"best price ${best:.2f}, {name}: ${highest:,.2f}"
        traces.append(theme.dots([best], [highest], "", colour, size=8, showlegend=False, hovertext=[text]))
        top = max(top, highest)
    x = {"range": [prices[0], prices[-1]], "tickformat": "$~g", "nticks": 7}
    return Tile("profit of a seller a period, $", "its price, $", traces, x, {"range": [-0.03 * top, 1.06 * top]})


def _responses(market: Market, prices: list[float], nash: float, collusive: float) -> Tile:
    best = [market.best_response([price]) for price in prices]
    texts = [f"rival at ${price:.2f}: best response ${answer:.2f}" for price, answer in zip(prices, best, strict=True)]
    points = [("Nash price", nash), ("collusive price", collusive)]
    traces = [
        theme.line(prices, best, "best response", theme.PALETTE[3], hovertext=texts),
        theme.reference([prices[0], prices[-1]], [prices[0], prices[-1]], "equal prices", cliponaxis=True),
        theme.dots(
            [price for _, price in points], [price for _, price in points], "Nash and collusive price", theme.INK,
            symbol="diamond", size=8, hovertext=[f"both at the {name}, ${price:.2f}" for name, price in points],
        ),
    ]  # fmt: skip
    low, high = theme.padded([*best, nash, collusive])
    form = {"tickformat": "$~g", "nticks": 7}
    return Tile(
        "best response, $",
        "price of the rival, $",
        traces,
        {"range": [prices[0], prices[-1]], **form},
        {"range": [low, high], **form},
    )
