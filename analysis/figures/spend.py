"""What was spent on each day of a month, waste apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from analysis.figures import theme
from analysis.figures.theme import PlotlyFigure, Trace

HEIGHT = 260
NOTHING = "Nothing was spent in this month, or only in experiments that were deleted."


@dataclass(frozen=True)
class Day:
    """In dollars; `waste` is part of `cost`."""

    day: date
    calls: int
    cost: float
    waste: float


def spend_figure(days: Sequence[Day]) -> PlotlyFigure:
    """A bar for each day: steps of runs below, waste above."""
    total, waste = sum(day.cost for day in days), sum(day.waste for day in days)
    if not total:
        return theme.empty_figure(NOTHING)
    data = [
        _bars(days, [day.cost - day.waste for day in days], "steps of runs", theme.ACCENT),
        _bars(days, [day.waste for day in days], "waste", theme.WARN, showlegend=waste > 0),
    ]
    dearest = max(days, key=lambda day: day.cost)
    description = (
        f"Spend by day: ${total:,.2f} in all, of which ${waste:,.2f} waste; most on {_named(dearest.day)} with "
        f"${dearest.cost:,.2f}."
    )
    layout: dict[str, Any] = {
        "barmode": "stack",
        "bargap": 0.25,
        "hovermode": "closest",
        "xaxis": theme.x_axis(tickvals=[1, *range(5, len(days) + 1, 5)], range=[0.4, len(days) + 0.6], fixedrange=True),
        "yaxis": theme.y_axis(rangemode="tozero", tickprefix="$", separatethousands=True),
        "annotations": [theme.annotation("dollars booked a day", 0, 1, yshift=8, xshift=-theme.MARGIN["l"] + 8)],
    }
    figure = theme.figure(data, layout, description=description, height=HEIGHT)
    figure["layout"]["legend"]["traceorder"] = "normal"
    return figure


def _bars(days: Sequence[Day], amounts: Sequence[float], name: str, colour: str, **options: Any) -> Trace:
    return {
        "type": "bar",
        "name": name,
        "x": [day.day.day for day in days],
        "y": list(amounts),
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [
            f"{_named(day.day)}: ${amount:,.2f} {name}, of ${day.cost:,.2f} in {day.calls:,} calls"
            for day, amount in zip(days, amounts, strict=True)
        ],
    } | options


def _named(day: date) -> str:
    return f"{day.day} {day:%B}"
