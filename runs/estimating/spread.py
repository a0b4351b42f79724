"""Why the range of an estimated cost is wide: the agent and environment that bring most of it, and what is not known."""

from collections.abc import Sequence
from dataclasses import dataclass

from infrastructure.text.formats import counted
from runs.estimating.dry import EstimatedRange
from runs.selectors.cells import environment_name

WIDE = 3.0
"""A range is wide if its high end is at least this multiple of its low end."""

FEW = 5
"""Fewer earlier runs than this say little."""


@dataclass(frozen=True)
class Part:
    """The part of an agent in an environment.

    cost: billionths of a dollar; earlier: finished runs that the estimate uses
    has_effort: whether the reasoning effort is set, or the model does not reason
    """

    agent: str
    environment: str
    cost: EstimatedRange
    earlier: int
    has_effort: bool


def why_wide(parts: Sequence[Part]) -> str:
    """A sentence that names the part with most of the range and the reasons; empty if the range is not wide."""
    low, high = sum(part.cost.low for part in parts), sum(part.cost.high for part in parts)
    if not high or high < WIDE * low:
        return ""
    widest = max(parts, key=_width)
    share = round(100 * _width(widest) / (high - low))
    return (
        f"The range is wide: {share} % of it comes from {widest.agent} in {environment_name(widest.environment)}, because "
        f"{_reason(widest)}."
    )


def _width(part: Part) -> float:
    return part.cost.high - part.cost.low


def _reason(part: Part) -> str:
    if not part.earlier:
        earlier = "it has no earlier runs there"
    elif part.earlier < FEW:
        earlier = f"it has only {counted(part.earlier, 'earlier run,earlier runs')} there"
    else:
        earlier = f"its {part.earlier} earlier runs there differ much"
    return earlier if part.has_effort else f"{earlier}, and its reasoning effort is the provider's default"
