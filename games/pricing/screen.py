"""Screen of pricing: a price for each product."""

from collections.abc import Mapping, Sequence
from typing import Any

from games.screens import plots
from games.screens.base import Screen, plain_number
from games.screens.forms import PricesForm
from games.screens.turn import PastPeriod
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted
from infrastructure.text.tables import Table, text_table


class ProductPrices(PricesForm):
    def sold(self, name: str) -> Mapping[str, float]:
        sales: dict[str, float] = self.turn.last["products"][name] if self.turn.last else {}
        return sales


class PricingScreen(Screen):
    form = ProductPrices
    figure_height = 430

    def last(self, last: PastPeriod) -> list[str]:
        return [f"Your profit in period {last['period']} was {plain_number(_profit(last))}."]

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        rows = [
            [
                str(period["period"]),
                product,
                *(plain_number(values[key]) for key in ("price", "quantity", "profit", "cost")),
            ]
            for period in reversed(past_periods)
            for product, values in period["products"].items()
        ]
        columns = ("Period", "Product", "Price", "Sold", "Profit", "Unit cost")
        return text_table(columns, rows, text_columns=2)

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        products: dict[str, Any] = past_periods[-1]["products"]
        prices = {product: [period["products"][product]["price"] for period in past_periods] for product in products}
        panels = [
            plots.panel("price", plots.lines(past_periods, prices), plots.FIRST),
            plots.panel(
                "profit", plots.lines(past_periods, {"profit": list(map(_profit, past_periods))}), plots.SECOND
            ),
        ]
        description = f"Prices of {counted(len(products), 'product,products')} and the profit in each period."
        return plots.plot(panels, last, description)


def _profit(period: PastPeriod) -> float:
    return float(sum(product["profit"] for product in period["products"].values()))
