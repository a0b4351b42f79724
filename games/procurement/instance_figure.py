"""Figure of a procurement instance: cost and value of each offer, and the effectiveness of each product."""

import math
from collections.abc import Sequence

from environments.base import Instance
from environments.procurement.economics import Menu, Offer
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span

HEIGHT = 270
KINDS = {
    "simple": ("simple price", theme.PALETTE[0], "circle"),
    "two_part_tariff": ("two-part tariff", theme.PALETTE[1], "diamond"),
    "bulk_only": ("bulk only", theme.PALETTE[2], "square"),
}
LABELS = 12
WORTHS = [step * 10.0**power for power in range(-3, 4) for step in (1, 2, 5)]


def procurement_instance(instance: Instance) -> PlotlyFigure:
    """Offers by the cost of the smallest purchase and the effectiveness per dollar, beside the effectiveness of products."""
    menu = Menu.of(instance)
    optimum = instance.reference.get("optimum") or {}
    plan = {offer for offer, quantity in optimum.get("plan", {}).items() if quantity}
    values = menu.effectiveness.values()
    description = (
        f"{counted(len(menu.offers), 'offer,offers')} of {len(menu.effectiveness)} products in "
        f"{counted(len(menu.categories), 'category,categories')}, and a budget of ${menu.budget_cents / 100:,.2f}. "
        f"Effectiveness of the products is {span(values, str)}."
    )
    if plan:
        description += f" The optimal plan buys {', '.join(sorted(plan))}."
    return grid_figure(
        [_offers(menu, plan), _products(menu)], columns=2, height=HEIGHT, description=description, narrow_left=52
    )


def smallest_share(offer: Offer, budget_cents: int) -> float:
    """Cost of the smallest purchase as a share of the budget."""
    return offer.cost_cents(offer.min_quantity or 1) / budget_cents


def units_per_dollar(offer: Offer, menu: Menu) -> float:
    """Effectiveness per dollar if the offer is bought with the whole budget, or the smallest purchase if that costs more."""
    least = offer.min_quantity or 1
    copies = max(least, (menu.budget_cents - (offer.upfront_cents or 0)) // offer.price_cents)
    worth = sum(menu.effectiveness[product] * count for product, count in offer.contents.items())
    return 100 * copies * worth / offer.cost_cents(copies)


def _offers(menu: Menu, plan: set[str]) -> Tile:
    traces: list[Trace] = []
    points = {
        offer.id: (smallest_share(offer, menu.budget_cents), units_per_dollar(offer, menu)) for offer in menu.offers
    }
    for kind, (name, colour, symbol) in KINDS.items():
        own = [offer for offer in menu.offers if offer.kind == kind]
        if own:
            x, y = ([points[offer.id][axis] for offer in own] for axis in (0, 1))
            texts = [_hover_text(offer, *points[offer.id]) for offer in own]
            traces.append(theme.dots(x, y, name, colour, symbol=symbol, size=8, opacity=0.8, hovertext=texts))
    best = [points[offer.id] for offer in menu.offers if offer.id in plan]
    if best:
        x, y = ([point[axis] for point in best] for axis in (0, 1))
        traces.append(
            theme.dots(x, y, "in the optimal plan", theme.INK, symbol="circle-open", size=14, hoverinfo="skip")
        )
    shares, values = ([point[axis] for point in points.values()] for axis in (0, 1))
    low, high = 0.7 * min(values), 1.4 * max(values)
    traces.insert(0, theme.reference([1, 1], [low, high], "the whole budget"))
    ends = [min(shares) * 0.8, max(*shares, 1.0) * 1.25]
    x_axis = {
        "type": "log",
        "tickformat": ".0%",
        "tickvals": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
        "range": _log(ends),
    }
    return Tile(
        "effective units a dollar buys",
        "cost of the smallest purchase, % of the budget",
        traces,
        x_axis,
        {"type": "log", "range": _log([low, high]), "tickvals": WORTHS},
    )


def _log(ends: Sequence[float]) -> list[float]:
    """The base-10 exponents of the ends of a logarithmic axis, which Plotly requires."""
    return [math.log10(end) for end in ends]


def _hover_text(offer: Offer, share: float, worth: float) -> str:
    contents = ", ".join(f"{count} {product}" for product, count in offer.contents.items())
    terms = f"${offer.price_cents / 100:,.2f} each"
    terms += f" after ${offer.upfront_cents / 100:,.2f} upfront" if offer.upfront_cents is not None else ""
    terms += f", at least {offer.min_quantity}" if offer.min_quantity is not None else ""
    return theme.plain(
        f"{offer.id}: {contents}; {terms}; smallest purchase {share:.1%} of the budget; {worth:.2f} units a dollar", 160
    )


def _products(menu: Menu) -> Tile:
    """A heat map with a row for each category and a cell for each product. Darker products are more effective."""
    width, rows = max(map(len, menu.categories)), len(menu.categories)
    offered = {product: [offer for offer in menu.offers if product in offer.contents] for product in menu.effectiveness}
    texts = [
        [
            f"{product}: effectiveness {menu.effectiveness[product]}, in {counted(len(offered[product]), 'offer,offers')}"
            for product in category
        ]
        for category in menu.categories
    ]
    heat: Trace = {
        "type": "heatmap", "name": "effectiveness", "x": [column + 1 for column in range(width)], "y": list(range(rows)),
        "z": [[menu.effectiveness[product] for product in category] for category in menu.categories],
        "hovertext": texts, "hoverinfo": "text", "zmin": 0, "zmax": max(menu.effectiveness.values()),
        "xgap": 1, "ygap": 1, "showscale": False, "colorscale": [[0, theme.PANEL], [1, theme.ACCENT]],
    }  # fmt: skip
    step = -(-rows // LABELS)
    tick_rows = list(range(0, rows, step))
    names = [menu.categories[row][0].rstrip("0123456789") for row in tick_rows]
    y = {"range": [rows - 0.5, -0.5], "tickmode": "array", "tickvals": tick_rows, "ticktext": names, "showgrid": False}
    return Tile(
        "effectiveness of each product",
        "product of the category",
        [heat],
        {"range": [0.5, width + 0.5], "tickmode": "array", "tickvals": list(range(1, width + 1, -(-width // LABELS)))},
        y,
    )
