"""Procurement: a quantity of each offer, and the cost of the plan against the budget."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from analysis.figures import theme
from analysis.figures.theme import PlotlyFigure
from play.screens import plots
from play.screens.base import ActionForm, Grid, Screen, plain_number
from play.turns import Seen, Turn

_CONDITION = r"additional upfront cost \$(?P<upfront>[\d.]+)|minimum order quantity (?P<minimum>\d+)"
_OFFER = re.compile(rf"- (?P<id>\S+): (?:\[(?P<condition>{_CONDITION})\] )?\$(?P<price>[\d.]+) for (?P<contents>.+)")


EMPTY = "The plan is empty. Give a quantity, or a 0 to buy nothing."


class PlanForm(ActionForm):
    """A quantity of each offer; an empty field is 0."""

    columns = ("Offer", "Contents", "Price", "Condition", "Quantity")
    worded = ("Contents", "Condition")
    kind = "plan"

    def named(self) -> list[str]:
        found = map(_OFFER.fullmatch, self.turn.texts["get_equipment_information"].splitlines())
        self.offers = {offer["id"]: offer for offer in found if offer}
        return list(self.offers)

    def made(self, name: str) -> forms.Field:
        return forms.IntegerField(
            required=False,
            min_value=0,
            widget=forms.NumberInput({"inputmode": "numeric", "placeholder": "0"}),
            error_messages={"invalid": "A quantity is a whole number.", "min_value": "A quantity is at least 0."},
        )

    def cells(self, name: str) -> Sequence[str]:
        offer = self.offers[name]
        return [offer["contents"], f"${offer['price']}", offer["condition"] or ""]

    def data_of(self, name: str) -> Mapping[str, object]:
        found = self.offers[name].groupdict()
        return {key: found[key] for key in ("price", "upfront", "minimum") if found[key]}

    def last_of(self, name: str) -> str:
        return str(self.turn.last["plan"].get(name, 0) or "") if self.turn.last else ""

    def clean(self) -> dict[str, Any]:
        """Nobody buys nothing by pressing a key too often."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors and all(cleaned.get(name) is None for name in self.fields):
            raise forms.ValidationError(EMPTY)
        return cleaned

    def action(self) -> object:
        return {name: quantity or 0 for name, quantity in self.chosen().items()}


class ProcurementScreen(Screen):
    form = PlanForm
    figure_height = 430

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        return []

    def budget(self, turn: Turn) -> Mapping[str, object]:
        return {"budget": turn.texts["get_budget"]}

    def last(self, turn: Turn) -> list[str]:
        if (last := turn.last) is None:
            return []
        told = f"Your plan of period {last['period']}"
        if not last["valid"]:
            return [f"{told} was invalid: {'; '.join(last['reasons'])}."]
        return [
            f"{told} supports {plain_number(last['workers'])} workers and incurs cost of {plain_number(last['cost'])}."
        ]

    def history(self, seen: Sequence[Seen]) -> Grid | None:
        rows = [
            [
                str(one["period"]),
                ", ".join(f"{quantity} × {offer}" for offer, quantity in one["plan"].items() if quantity) or "nothing",
                "; ".join(one["reasons"]) if not one["valid"] else "valid",
                plain_number(one["workers"]) if one["valid"] else "–",
                plain_number(one["cost"]) if one["valid"] else "–",
            ]
            for one in reversed(seen)
        ]
        return Grid(("Period", "Plan", "Result", "Workers", "Cost, $"), rows, words=3) if rows else None

    def figure(self, seen: Sequence[Seen], last: int) -> PlotlyFigure:
        periods = [one["period"] for one in seen]
        workers = [one["workers"] for one in seen]
        texts = ["invalid" if value is None else f"supports {value:,.2f} workers" for value in workers]
        invalid = [one["period"] for one in seen if not one["valid"]]
        marks = theme.dots(invalid, [0.0] * len(invalid), "invalid plan", theme.BAD, symbol="x-thin", hoverinfo="skip")
        supported = theme.dots(periods, workers, "workers", theme.PALETTE[0], hovertext=texts)
        costs = plots.lines(seen, {"cost": [one["cost"] for one in seen]})
        panels = [
            plots.panel("workers supported", [supported, marks], plots.FIRST),
            plots.panel("cost, $", costs, plots.SECOND),
        ]
        return plots.plot(panels, last, "How many workers each plan supports, and what it costs.")
