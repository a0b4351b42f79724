"""Figures over time: an experiment's periods and dollars against its forecast, and the spending of a month by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.money import usd
from infrastructure.text.formats import compact, counted, dollars, span
from workspace.spending.selectors.breakdown import DaySpent

NOTHING = "No period has been played yet."
HEIGHT = 150
UNITS = ((2 * 86_400.0, 86_400.0, "days"), (7_200.0, 3_600.0, "hours"), (180.0, 60.0, "minutes"), (0.0, 1.0, "seconds"))
"""(seconds from which the unit is used, seconds of one unit, name of the unit)."""
FORECAST = "forecast at launch"
ROOM = 2.0
"""An axis reaches a forecast only up to this multiple of what was played. Beyond it, the dashed line is cut off."""


@dataclass(frozen=True)
class Moment:
    """The periods played and dollars booked up to `seconds` after the first run started."""

    seconds: float
    periods: int
    dollars: float


@dataclass(frozen=True)
class Forecast:
    """The forecast of a launch. seconds: None if the pace is unknown; low, high: the range of the dollars"""

    seconds: float | None
    dollars: float
    low: float
    high: float


def progress_figure(moments: Sequence[Moment], planned: int, forecast: Forecast | None) -> PlotlyFigure:
    """Periods and dollars over time. The panel of dollars is left out if nothing was or will be booked.

    moments: in chronological order
    planned: periods of all runs
    """
    if not moments:
        return theme.empty_figure(NOTHING)
    seconds = max(1.0, _reach(moments[-1].seconds, forecast.seconds or 0.0 if forecast else 0.0))
    unit, name = next((unit, name) for least, unit, name in UNITS if seconds >= least)
    times = [0.0, *(moment.seconds / unit for moment in moments)]
    end = seconds / unit
    x = {"range": [-0.02 * end, 1.03 * end], "nticks": 6}
    x_title = f"{name} since the first run started"
    expected = forecast.seconds / unit if forecast and forecast.seconds else None
    periods = [0, *(moment.periods for moment in moments)]
    top = _reach(periods[-1], planned)
    tiles = [
        Tile(
            f"periods played, of {compact(planned)} planned", x_title,
            [*_forecast(expected, planned, (end, top)),
             _line(times, periods, "played", [f"{n:,} periods" for n in periods], name)],
            x, {"range": [0, 1.06 * top], "nticks": 4, "tickformat": ",d"},
        )
    ]  # fmt: skip
    spent = [0.0, *(moment.dollars for moment in moments)]
    sentence = f"{counted(periods[-1], 'period,periods')} of {planned:,} played in {times[-1]:.1f} {name}"
    if spent[-1] or (forecast and forecast.high):
        tiles.append(_dollars(times, spent, expected, forecast, (x, end), x_title, name))
        sentence += f"; ${spent[-1]:,.2f} booked{f', ${forecast.dollars:,.2f} expected at launch' if forecast else ''}"
    return grid_figure(tiles, columns=1, height=HEIGHT, description=f"{sentence}.", left=56)


def _dollars(
    times: Sequence[float], spent: Sequence[float], expected: float | None, forecast: Forecast | None,
    axis: tuple[dict[str, Any], float], x_title: str, unit: str,
) -> Tile:  # fmt: skip
    x, end = axis
    top = _reach(spent[-1], *((forecast.dollars, forecast.high) if forecast else ()))
    before = _forecast(expected, forecast.dollars, (end, top), with_legend=False) if forecast else []
    if forecast and expected and expected <= end and forecast.high <= top:
        # The range is drawn at the end of the forecast.
        reach = theme.line([expected, expected], [forecast.low, forecast.high], "", theme.FAINT, showlegend=False)
        before.append(reach | {"hovertext": f"{span((forecast.low, forecast.high), dollars)} expected at launch"})
    booked = _line(times, spent, "booked", [f"${dollars:,.2f}" for dollars in spent], unit) | {"showlegend": False}
    y = {"range": [0, 1.08 * top], "nticks": 4, "tickprefix": "$", "separatethousands": True}
    title = f"dollars booked, {dollars(forecast.dollars)} forecast" if forecast else "dollars booked"
    return Tile(title, x_title, [*before, booked], x, y)


def _reach(played: float, *goals: float) -> float:
    """The end of an axis: what was played, and each goal that is not too far from it. All goals before anything is played."""
    return max([played, *(goal for goal in goals if not played or goal <= ROOM * played)])


def _forecast(expected: float | None, goal: float, ends: tuple[float, float], with_legend: bool = True) -> list[Trace]:
    """A dashed line from zero to the goal. It is cut off at the ends of the axes."""
    if not expected:
        return []
    share = min(1.0, ends[0] / expected, ends[1] / goal if goal else 1.0)
    return [theme.reference([0, expected * share], [0, goal * share], FORECAST, showlegend=with_legend)]


def _line(x: Sequence[float], y: Sequence[float], name: str, amounts: Sequence[str], unit: str) -> Trace:
    texts = [f"{amount} {name} after {time:,.1f} {unit}" for time, amount in zip(x, amounts, strict=True)]
    return theme.line(x, y, name, theme.ACCENT, hovertext=texts)


SPEND_HEIGHT = 260
NOTHING_SPENT = "Nothing was spent in this month, or only in experiments that were deleted."


def spend_figure(days: Sequence[DaySpent]) -> PlotlyFigure:
    """A bar for each day, with useful calls below and wasted calls above."""
    total, waste = sum(usd(day.cost) for day in days), sum(usd(day.waste) for day in days)
    if not total:
        return theme.empty_figure(NOTHING_SPENT)
    data = [
        _bars(days, [usd(day.cost) - usd(day.waste) for day in days], "steps of runs", theme.ACCENT),
        _bars(days, [usd(day.waste) for day in days], "waste", theme.WARN, showlegend=waste > 0),
    ]
    dearest = max(days, key=lambda day: day.cost)
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
    figure = theme.figure(
        data,
        layout,
        description=(
            f"Spend by day: ${total:,.2f} in all, of which ${waste:,.2f} waste; most on {_day_text(dearest.day)} with "
            f"${usd(dearest.cost):,.2f}."
        ),
        height=SPEND_HEIGHT,
    )
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
