"""Screen of procurement: a quantity of each offer, and the cost of the plan compared with the budget."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from environments.procurement.economics import Offer, budget_at
from environments.procurement.environment import dollars, offer_condition, offer_contents
from games.screens import plots
from games.screens.base import ActionForm, Screen, plain_number
from games.screens.turn import PastPeriod, Turn
from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table, text_table

EMPTY = "The plan is empty. Give a quantity, or a 0 to buy nothing."


class PlanForm(ActionForm):
    """Form with a quantity of each offer. An empty field counts as 0."""

    columns = ("Offer", "Contents", "Price", "Condition", "Quantity")
    text_heads = ("Contents", "Condition")
    kind = "plan"

    def field_names(self) -> list[str]:
        self.offers = {offer["id"]: Offer(**offer) for offer in self.turn.parameters["offers"]}
        return list(self.offers)

    def build_field(self, name: str) -> forms.Field:
        return forms.IntegerField(
            required=False,
            min_value=0,
            widget=forms.NumberInput({"inputmode": "numeric", "placeholder": "0"}),
            error_messages={"invalid": "A quantity is a whole number.", "min_value": "A quantity is at least 0."},
        )

    def cells(self, name: str) -> Sequence[str]:
        offer = self.offers[name]
        return [offer_contents(offer), f"${dollars(offer.price_cents)}", offer_condition(offer)]

    def script_data(self, name: str) -> Mapping[str, object]:
        offer = self.offers[name]
        data: dict[str, object] = {"price": dollars(offer.price_cents)}
        if offer.upfront_cents is not None:
            data["upfront"] = dollars(offer.upfront_cents)
        if offer.min_quantity is not None:
            data["minimum"] = offer.min_quantity
        return data

    def last_value(self, name: str) -> str:
        return str(self.turn.last["plan"].get(name, 0) or "") if self.turn.last else ""

    def clean(self) -> dict[str, Any]:
        """Refuse an empty plan, so that nobody submits one by accident."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors and all(cleaned.get(name) is None for name in self.fields):
            raise forms.ValidationError(EMPTY)
        return cleaned

    def action(self) -> object:
        return {name: quantity or 0 for name, quantity in self.cleaned_values().items()}


class ProcurementScreen(Screen):
    form = PlanForm
    figure_height = 430

    def budget(self, turn: Turn) -> Mapping[str, object]:
        return {"budget": dollars(budget_at(turn.game.instance, turn.period))}

    def last(self, last: PastPeriod) -> list[str]:
        subject = f"Your plan of period {last['period']}"
        if not last["valid"]:
            return [f"{subject} was invalid: {'; '.join(last['reasons'])}."]
        return [
            f"{subject} supports {plain_number(last['workers'])} workers and incurs cost of {plain_number(last['cost'])}."
        ]

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        rows = [
            [
                str(period["period"]),
                ", ".join(f"{quantity} × {offer}" for offer, quantity in period["plan"].items() if quantity)
                or "nothing",
                "; ".join(period["reasons"]) if not period["valid"] else "valid",
                plain_number(period["workers"]) if period["valid"] else "–",
                plain_number(period["cost"]) if period["valid"] else "–",
            ]
            for period in reversed(past_periods)
        ]
        return text_table(("Period", "Plan", "Result", "Workers", "Cost, $"), rows, text_columns=3)

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        periods = [period["period"] for period in past_periods]
        workers = [period["workers"] for period in past_periods]
        texts = ["invalid" if value is None else f"supports {value:,.2f} workers" for value in workers]
        invalid = [period["period"] for period in past_periods if not period["valid"]]
        marks = theme.dots(invalid, [0.0] * len(invalid), "invalid plan", theme.BAD, symbol="x-thin", hoverinfo="skip")
        supported = theme.dots(periods, workers, "workers", theme.PALETTE[0], hovertext=texts)
        costs = plots.lines(past_periods, {"cost": [period["cost"] for period in past_periods]})
        panels = [
            plots.panel("workers supported", [supported, marks], plots.FIRST),
            plots.panel("cost, $", costs, plots.SECOND),
        ]
        return plots.plot(panels, last, "How many workers each plan supports, and what it costs.")
