"""Prices to set, with the sales of the last period beside each product."""

from collections.abc import Mapping, Sequence

from django import forms

from games.screens.base import ActionForm, plain_number


class PricesForm(ActionForm):
    """A price for each product. Subclasses say what was sold of them."""

    def field_names(self) -> list[str]:
        return list(self.turn.parameters["products"])

    def build_field(self, name: str) -> forms.Field:
        return forms.FloatField(
            min_value=0,
            widget=forms.NumberInput({"step": "any", "inputmode": "decimal"}),
            error_messages={
                "required": "Give a price.",
                "invalid": "A price is a number.",
                "min_value": "A price is at least 0.",
            },
        )

    def sold(self, name: str) -> Mapping[str, float]:
        """Price, quantity, profit and cost of a product in the last period; empty before the first."""
        raise NotImplementedError

    @property
    def heads(self) -> Sequence[str]:
        before = ("Last price", "Sold", "Profit", "Unit cost") if self.turn.past_periods else ()
        return ("Product", *before, "Price")

    def cells(self, name: str) -> Sequence[str]:
        return [
            plain_number(self.sold(name)[key])
            for key in ("price", "quantity", "profit", "cost")
            if self.turn.past_periods
        ]

    def last_value(self, name: str) -> str:
        return f"{self.sold(name)['price']:g}" if self.turn.past_periods else ""
