"""Screen of collusiveness versus competitiveness: the player's own price, and the prices of the other seller."""

from collections.abc import Mapping, Sequence

from games.screens import plots
from games.screens.base import Screen, plain_number
from games.screens.forms import PricesForm
from games.screens.turn import PastPeriod
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table, text_table


class OwnPrice(PricesForm):
    def sold(self, name: str) -> Mapping[str, float]:
        return self.turn.last or {}


class CollusionScreen(Screen):
    form = OwnPrice
    figure_height = 430

    def last(self, last: PastPeriod) -> list[str]:
        others = [f"{name} asked {values['price']:.2f}." for name, values in last["competitors"].items()]
        return [f"Your profit in period {last['period']} was {plain_number(last['profit'])}.", *others]

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        rivals = list(past_periods[-1]["competitors"])
        rows = [
            [
                str(period["period"]),
                f"{period['price']:g}",
                *(plain_number(period[key]) for key in ("quantity", "profit", "cost")),
                *(f"{period['competitors'][rival]['price']:.2f}" for rival in rivals),
            ]
            for period in reversed(past_periods)
        ]
        return text_table(
            ("Period", "Price", "Sold", "Profit", "Unit cost", *(f"{name}, price" for name in rivals)), rows
        )

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        prices = {"your price": [period["price"] for period in past_periods]}
        for rival in past_periods[-1]["competitors"]:
            prices[rival] = [period["competitors"][rival]["price"] for period in past_periods]
        panels = [
            plots.panel("price", plots.lines(past_periods, prices), plots.FIRST),
            plots.panel(
                "your profit",
                plots.lines(past_periods, {"profit": [period["profit"] for period in past_periods]}),
                plots.SECOND,
            ),
        ]
        return plots.plot(panels, last, "The prices and your profit in each period.")
