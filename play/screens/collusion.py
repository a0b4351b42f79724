"""Collusiveness versus competitiveness: one's own price, and what the other seller asked."""

from collections.abc import Mapping, Sequence

from analysis.figures.theme import PlotlyFigure
from play.screens import plots
from play.screens.base import Grid, Screen, plain_number
from play.screens.prices import PricesForm
from play.turns import Seen, Turn


class OwnPrice(PricesForm):
    def sold(self, name: str) -> Mapping[str, float]:
        return self.turn.last or {}


class CollusionScreen(Screen):
    form = OwnPrice
    figure_height = 430

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        return []

    def last(self, turn: Turn) -> list[str]:
        if turn.last is None:
            return []
        others = [f"{name} asked {values['price']:.2f}." for name, values in turn.last["competitors"].items()]
        return [f"Your profit in period {turn.last['period']} was {plain_number(turn.last['profit'])}.", *others]

    def history(self, seen: Sequence[Seen]) -> Grid | None:
        if not seen:
            return None
        rivals = list(seen[-1]["competitors"])
        rows = [
            [
                str(one["period"]),
                f"{one['price']:g}",
                *(plain_number(one[key]) for key in ("quantity", "profit", "cost")),
                *(f"{one['competitors'][rival]['price']:.2f}" for rival in rivals),
            ]
            for one in reversed(seen)
        ]
        return Grid(("Period", "Price", "Sold", "Profit", "Unit cost", *(f"{name}, price" for name in rivals)), rows)

    def figure(self, seen: Sequence[Seen], last: int) -> PlotlyFigure:
        prices = {"your price": [one["price"] for one in seen]}
        for rival in seen[-1]["competitors"]:
            prices[rival] = [one["competitors"][rival]["price"] for one in seen]
        panels = [
            plots.panel("price", plots.lines(seen, prices), plots.FIRST),
            plots.panel("your profit", plots.lines(seen, {"profit": [one["profit"] for one in seen]}), plots.SECOND),
        ]
        return plots.plot(panels, last, "The prices and your profit in each period.")
