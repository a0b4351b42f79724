"""Plots of the past periods. They contain only what the player has seen, so they never show the optimum."""

from collections.abc import Mapping, Sequence

from games.screens.turn import PastPeriod
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

FIRST, SECOND = 200, 110
"""Heights of the panels in pixels."""


def lines(
    past_periods: Sequence[PastPeriod], values: Mapping[str, Sequence[float | None]], unit: str = ""
) -> list[Trace]:
    """One line over the periods for each name."""
    periods = [period["period"] for period in past_periods]
    shades = theme.PALETTE
    return [
        theme.visible(
            theme.line(
                periods,
                series,
                name,
                shades[index % len(shades)],
                hovertext=["" if value is None else f"{theme.plain(name)} {value:,.2f}{unit}" for value in series],
                showlegend=len(values) > 1,
                line={"color": shades[index % len(shades)], "width": 1.75, "dash": DASHES[index // len(shades) % 3]},
            )
        )
        for index, (name, series) in enumerate(values.items())
    ]


DASHES = ("solid", "dot", "dash")
"""Dashes of lines: for the first use of a colour, the second and the third."""


def panel(title: str, traces: Sequence[Trace], height: int) -> Panel:
    """A panel with a y axis from zero to the highest value. It begins lower if a value is negative."""
    numbers = [value for trace in traces for value in trace["y"] if value is not None]
    low, high = theme.padded([0.0, *numbers])
    return Panel(title, traces, height, (low if min(numbers, default=0) < 0 else 0.0, high), {"nticks": 5})


def plot(panels: Sequence[Panel], last: int, description: str) -> PlotlyFigure:
    return panel_figure(panels, last, description=description, left=58, select="")
