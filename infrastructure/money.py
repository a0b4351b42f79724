"""Conversion of money. Amounts are stored as whole billionths of a dollar (nano-dollars)."""

from decimal import Decimal

WHOLE_CENTS = "The budget is in dollars and whole cents."
NANO = 1_000_000_000
"""Billionths in a dollar."""


def nano(dollars: Decimal | float | None) -> int | None:
    """Convert dollars to billionths; None stays None."""
    return None if dollars is None else int(Decimal(str(dollars)) * NANO)


def usd(amount: int) -> float:
    """Convert billionths to dollars."""
    return amount / NANO


def usd_or_none(amount: int | None) -> float | None:
    return None if amount is None else amount / NANO
