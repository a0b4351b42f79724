"""Forms that several games use: prices, and a matching in which each choice is used once."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from games.screens.base import ActionForm, plain_number


class PricesForm(ActionForm):
    """A price for each product. Subclasses provide the past sales."""

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


class MatchForm(ActionForm):
    """A select for each name. Subclasses provide the choices and the word for a choice."""

    kind = "match"
    noun: ClassVar[str]

    def choices(self) -> Sequence[str]:
        raise NotImplementedError

    def build_field(self, name: str) -> forms.Field:
        return forms.ChoiceField(
            choices=[("", "choose"), *((choice, choice) for choice in self.choices())],
            error_messages=dict.fromkeys(("required", "invalid_choice"), f"Choose a {self.noun}."),
        )

    def clean(self) -> dict[str, Any]:
        """Check that each choice is used once. The error is shown at both fields."""
        cleaned: dict[str, Any] = super().clean() or {}
        users: dict[str, list[int]] = {}
        for index in range(len(self.names)):
            if choice := cleaned.get(f"a{index}"):
                users.setdefault(choice, []).append(index)
        for choice, indices in users.items():
            for index in indices if len(indices) > 1 else ():
                others = " and ".join(self.names[other] for other in indices if other != index)
                self.add_error(f"a{index}", f"{others} also {'has' if len(indices) == 2 else 'have'} {choice}.")
        return cleaned
