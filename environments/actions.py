"""Checked actions that several environments share. Errors are one sentence for the agent."""

import math
from collections.abc import Collection, Sequence
from typing import Any

from environments.base import ToolError
from environments.literals import parse_flat_dict

LOWEST_LOGGED = -1e6
"""Lowest price accepted in published logs, whose code did not refuse negative prices."""


def check_keys(entries: dict[str, Any], allowed: Collection[str], what: str, listed: str) -> None:
    """Raise ToolError if a key of `entries` is not in `allowed`, which the message calls `listed`."""
    if unknown := [key for key in entries if key not in allowed]:
        raise ToolError(f"Unknown {what} {unknown[0][:40]!r}; the {what}s are {listed}.")


def _check_complete(entries: dict[str, Any], keys: Sequence[str], key: str, value: str) -> None:
    if missing := [k for k in keys if k not in entries]:
        raise ToolError(f"Every {key} needs a {value}; missing: {', '.join(missing)}.")


def parse_bijection(
    raw: object, argument: str, keys: Sequence[str], values: Sequence[str], key: str, value: str
) -> dict[str, Any]:
    """An assignment of every key id to a different value id. Raises ToolError for anything else."""
    assignment = parse_flat_dict(raw, argument)
    check_keys(assignment, keys, key, f"{keys[0]} to {keys[-1]}")
    _check_complete(assignment, keys, key, value)
    for k, v in assignment.items():
        if v not in values:
            raise ToolError(f"Unknown {value} {str(v)[:40]!r} for {k}; the {value}s are {values[0]} to {values[-1]}.")
    seen: dict[Any, str] = {}
    for k, v in assignment.items():
        if v in seen:
            both = f"{seen[v]} and {k}"
            raise ToolError(f"{value.capitalize()} {v} is given to both {both}; each {value} may be given once.")
        seen[v] = k
    return assignment


def parse_prices(
    raw: object, argument: str, names: Sequence[str], what: str = "product", lowest: float = 0
) -> dict[str, Any]:
    """A price of at least `lowest` for exactly these names. Raises ToolError for anything else."""
    prices = parse_flat_dict(raw, argument)
    check_keys(prices, names, what, ", ".join(names))
    _check_complete(prices, names, what, "price")
    for name, price in prices.items():
        if isinstance(price, bool) or not isinstance(price, int | float):
            raise ToolError(f"The price of {name} must be a number, but it was {price!r:.60}.")
        try:
            prices[name] = float(price)
        except OverflowError:
            prices[name] = math.inf
        if not math.isfinite(prices[name]) or prices[name] < lowest:
            raise ToolError(f"The price of {name} must be a finite number of at least {lowest:,.0f}.")
    return prices
