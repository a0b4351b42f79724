"""Figure of a pricing instance: the profit-maximising price of each period, and demand around it."""

from collections.abc import Sequence

import numpy as np

from environments.base import PERIODS, Instance
from environments.pricing.economics import Demand, Floats
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span

FEW_PRODUCTS = 6
"""Maximum number of products with different colours. With more, each product has the colour of its nest."""
RATIOS = tuple(np.linspace(0.5, 2.0, 31).tolist())
"""Prices at which demand is shown, as multiples of the profit-maximising price."""
HEIGHT = 250


def pricing_instance(instance: Instance) -> PlotlyFigure:
    """Two charts with one line for each product: profit-maximising prices by period, and units sold by price."""
    demand, alphas = Demand.of(instance), np.array(instance.hidden["alphas"])
    optimal = demand.optimal_prices(alphas)
    products = instance.parameters["products"]
    looks = _looks(products, instance.hidden["nests"])
    paths = [
        theme.line(
            range(PERIODS), optimal[:, i].tolist(), name, colour, showlegend=first,
            hovertext=[f"{product}, period {t}: ${price:.2f}" for t, price in enumerate(optimal[:, i].tolist())],
        )
        for i, (product, (name, colour, first)) in enumerate(zip(products, looks, strict=True))
    ]  # fmt: skip
    curves = _curves(demand, products, optimal[0], alphas[0], [colour for _, colour, _ in looks])
    at_optimum = demand.quantities(optimal[0], alphas[0])
    best = theme.dots(
        [1.0] * len(products), at_optimum.tolist(), "at the optimum", theme.INK, size=5,
        hovertext=[f"{product} at its optimum: {sold:.1f} units" for product, sold in zip(products, at_optimum, strict=True)],
    )  # fmt: skip
    low, high = theme.padded(optimal.ravel().tolist())
    most = max(value for curve in curves for value in curve["y"] if value is not None)
    description = (
        f"Profit-maximising prices of {counted(len(products), 'product,products')} over {PERIODS} periods: "
        f"{span(optimal.ravel(), '${:.2f}'.format)}; the optimal profit is ${demand.optimal_profit():.2f} a period. "
        "Beside it the units sold by price, the other products at their optimal prices."
    )
    tiles = [
        Tile("profit-maximising price, $", "period", paths, {"range": [-1, PERIODS]}, {"range": [max(low, 0.0), high]}),
        Tile(
            "units sold a period, the others at their optimum",
            "price ÷ profit-maximising price, the same in every period",
            [*curves, best],
            {"range": [RATIOS[0] - 0.02, RATIOS[-1] + 0.02], "nticks": 7},
            {"range": [-0.03 * most, 1.06 * most]},
        ),
    ]
    return grid_figure(tiles, columns=2, height=HEIGHT, description=description)


def _looks(products: Sequence[str], nests: Sequence[int]) -> list[tuple[str, str, bool]]:
    """For each product: its name in the legend, its colour, and whether it has an entry in the legend."""
    if len(products) <= FEW_PRODUCTS:
        return [(product, colour, True) for product, colour in zip(products, theme.PALETTE, strict=False)]
    return [
        (f"nest {nest}", theme.PALETTE[(nest - 1) % len(theme.PALETTE)], nest not in nests[:index])
        for index, nest in enumerate(nests)
    ]


def _curves(
    demand: Demand, products: Sequence[str], optimal: Floats, alphas: Floats, colours: Sequence[str]
) -> list[Trace]:
    """Units sold of each product by its price, with other products at optimal prices. Demand is evaluated only once."""
    indices = range(len(products))
    tried = np.array(RATIOS)[:, None] * optimal
    prices = np.broadcast_to(optimal, (len(RATIOS), len(products), len(products))).copy()
    prices[:, indices, indices] = tried
    sold = demand.quantities(prices, alphas)[:, indices, indices]
    return [
        _curve(product, tried[:, i].tolist(), sold[:, i].tolist(), colour)
        for i, (product, colour) in enumerate(zip(products, colours, strict=True))
    ]


def _curve(product: str, prices: Sequence[float], sold: Sequence[float], colour: str) -> Trace:
    texts = [
        f"{product} at {ratio:.2f} times its optimal price (${price:.2f} in period 0): {units:.1f} units"
        for ratio, price, units in zip(RATIOS, prices, sold, strict=True)
    ]
    return theme.line(RATIOS, sold, "", colour, hovertext=texts, showlegend=False)
