"""Pricing: a price for each product."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted
from play.screens import plots
from play.screens.base import Grid, Screen, plain_number
from play.screens.prices import PricesForm
from play.turns import Seen, Turn


class ProductPrices(PricesForm):
    def sold(self, name: str) -> Mapping[str, float]:
        found: dict[str, float] = self.turn.last["products"][name] if self.turn.last else {}
        return found


class PricingScreen(Screen):
    form = ProductPrices
    figure_height = 430

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        return []

    def last(self, turn: Turn) -> list[str]:
        if turn.last is None:
            return []
        return [f"Your profit in period {turn.last['period']} was {plain_number(_profit(turn.last))}."]

    def history(self, seen: Sequence[Seen]) -> Grid | None:
        rows = [
            [
                str(one["period"]),
                product,
                *(plain_number(values[key]) for key in ("price", "quantity", "profit", "cost")),
            ]
            for one in reversed(seen)
            for product, values in one["products"].items()
        ]
        columns = ("Period", "Product", "Price", "Sold", "Profit", "Unit cost")
        return Grid(columns, rows, words=2) if rows else None

    def figure(self, seen: Sequence[Seen], last: int) -> PlotlyFigure:
        products: dict[str, Any] = seen[-1]["products"]
        prices = {product: [one["products"][product]["price"] for one in seen] for product in products}
        panels = [
            plots.panel("price", plots.lines(seen, prices), plots.FIRST),
            plots.panel("profit", plots.lines(seen, {"profit": list(map(_profit, seen))}), plots.SECOND),
        ]
        told = f"Prices of {counted(len(products), 'product,products')} and the profit in each period."
        return plots.plot(panels, last, told)


def _profit(one: Seen) -> float:
    return float(sum(product["profit"] for product in one["products"].values()))
