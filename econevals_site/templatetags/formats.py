"""How numbers are written on every page: one place, one way."""

from __future__ import annotations

from django import template

register = template.Library()

NANO = 1_000_000_000
DASH = "–"


@register.filter
def score(value: float | None) -> str:
    """A share as points of 100 with one decimal, as the papers print scores."""
    return DASH if value is None else f"{value * 100:.1f}".replace("-", "−")


@register.filter
def percent(value: float | None) -> str:
    """A share as a percentage with one decimal."""
    return DASH if value is None else f"{value * 100:.1f} %".replace("-", "−")


@register.filter
def money(nano: int | None) -> str:
    """Billionths of a dollar as dollars and cents; small sums with the digits that matter."""
    if nano is None:
        return DASH
    dollars = nano / NANO
    if 0 < abs(dollars) < 0.095:
        return f"${dollars:.4f}"
    return f"${dollars:,.2f}"


@register.filter
def compact(value: int | None) -> str:
    """A count in at most four digits: 847, 5,912, 52.1 k, 2.94 M."""
    if value is None:
        return DASH
    for limit, divisor, unit in ((10_000, 1, ""), (1_000_000, 1_000, " k"), (1_000_000_000, 1_000_000, " M")):
        if value < limit:
            return f"{value:,}" if divisor == 1 else f"{value / divisor:.3g}{unit}"
    return f"{value / 1_000_000_000:.3g} G"


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds as the largest two units: 0.4 s, 42 s, 3 min 5 s, 3 h 12 min, 2 d 4 h."""
    if seconds is None:
        return DASH
    if seconds < 10:
        return f"{seconds:.1f} s"
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3600} h"
