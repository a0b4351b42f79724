"""What was spent on each day of a month, waste apart."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.money import usd
from workspace.spending.selectors.call_sums import DaySpent

HEIGHT = 260
NOTHING = "Nothing was spent in this month, or only in experiments that were deleted."


def spend_figure(days: Sequence[DaySpent]) -> PlotlyFigure:
    """A bar for each day: steps of runs below, waste above."""
    total, waste = sum(usd(day.cost) for day in days), sum(usd(day.waste) for day in days)
    if not total:
        return theme.empty_figure(NOTHING)
    data = [
        _bars(days, [usd(day.cost) - usd(day.waste) for day in days], "steps of runs", theme.ACCENT),
        _bars(days, [usd(day.waste) for day in days], "waste", theme.WARN, showlegend=waste > 0),
    ]
    dearest = max(days, key=lambda day: day.cost)
    description = (
        f"Spend by day: ${total:,.2f} in all, of which ${waste:,.2f} waste; most on {_day_text(dearest.day)} with "
        f"${usd(dearest.cost):,.2f}."
    )
    layout: dict[str, Any] = {
        "barmode": "stack",
        "bargap": 0.25,
        "hovermode": "closest",
        "xaxis": theme.x_axis(
            tickvals=[1, *range(5, len(days) + 1, 5)],
            range=[0.4, len(days) + 0.6],
            fixedrange=True,
            title=theme.axis_title("day of the month, UTC", 4),
        ),
        "yaxis": theme.y_axis(rangemode="tozero", tickprefix="$", separatethousands=True),
        "annotations": [theme.annotation("dollars booked a day", 0, 1, yshift=8, xshift=-theme.MARGIN["l"] + 8)],
    }
    figure = theme.figure(data, layout, description=description, height=HEIGHT)
    figure["layout"]["legend"]["traceorder"] = "normal"
    return figure


def _bars(days: Sequence[DaySpent], amounts: Sequence[float], name: str, colour: str, **options: Any) -> Trace:
    return {
        "type": "bar",
        "name": name,
        "x": [day.day.day for day in days],
        "y": list(amounts),
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [
            f"{_day_text(day.day)}: ${amount:,.2f} {name}, of ${usd(day.cost):,.2f} in {day.calls:,} calls"
            for day, amount in zip(days, amounts, strict=True)
        ],
    } | options


def _day_text(day: date) -> str:
    return f"{day.day} {day:%B}"
