"""Checks of actions that several environments share. Errors are one sentence for the agent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from environments.base import ToolError


def check_bijection(
    assignment: dict[str, Any], keys: Sequence[str], values: Sequence[str], key: str, value: str
) -> None:
    """Raise ToolError unless `assignment` maps every key id to a different value id."""
    unknown = [k for k in assignment if k not in keys]
    if unknown:
        raise ToolError(f"Unknown {key} {unknown[0][:40]!r}; the {key}s are {keys[0]} to {keys[-1]}.")
    missing = [k for k in keys if k not in assignment]
    if missing:
        raise ToolError(f"Every {key} needs a {value}; missing: {', '.join(missing)}.")
    wrong = [(k, v) for k, v in assignment.items() if v not in values]
    if wrong:
        k, v = wrong[0]
        raise ToolError(f"Unknown {value} {str(v)[:40]!r} for {k}; the {value}s are {values[0]} to {values[-1]}.")
    seen: dict[Any, str] = {}
    for k, v in assignment.items():
        if v in seen:
            both = f"{seen[v]} and {k}"
            raise ToolError(f"{value.capitalize()} {v} is given to both {both}; each {value} may be given once.")
        seen[v] = k


def check_names(given: dict[str, Any], names: Sequence[str], what: str) -> None:
    """Raise ToolError unless `given` has a price for exactly these names."""
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ToolError(f"Unknown {what} {unknown[0][:40]!r}; the {what}s are {', '.join(names)}.")
    missing = [name for name in names if name not in given]
    if missing:
        raise ToolError(f"Every {what} needs a price; missing: {', '.join(missing)}.")


LOWEST_LOGGED = -1e6
"""Lowest price accepted in published logs, whose code did not refuse negative prices."""


def checked_price(product: str, price: object, lowest: float = 0) -> float:
    """The price as a float. Raises ToolError unless it is finite and at least `lowest`."""
    if isinstance(price, bool) or not isinstance(price, int | float):
        raise ToolError(f"The price of {product} must be a number, but it was {price!r:.60}.")
    try:
        value = float(price)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value) or value < lowest:
        raise ToolError(f"The price of {product} must be a finite number of at least {lowest:,.0f}.")
    return value
