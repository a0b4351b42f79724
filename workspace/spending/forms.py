"""The form field of a budget, used at launch and later."""

from decimal import Decimal

from django import forms

from infrastructure.money import WHOLE_CENTS


def budget_field(
    label: str = "Budget cap, $", help_text: str = "the experiment pauses at the cap, nothing is lost"
) -> forms.DecimalField:
    return forms.DecimalField(
        required=False,
        min_value=Decimal("0.01"),
        max_value=Decimal(1_000_000),
        decimal_places=2,
        label=label,
        help_text=help_text,
        error_messages={
            "invalid": "The budget must be an amount in dollars, such as 25.00.",
            "min_value": "The budget must be at least one cent; leave it empty for no cap.",
            "max_digits": "That budget is too large.",
            "max_value": "That budget is too large.",
            "max_decimal_places": WHOLE_CENTS,
        },
    )


class BudgetForm(forms.Form):
    budget = budget_field()
