"""Figures of a run: panels one above the other that share an x axis of periods."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from environments.base import Outcome
from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure, Trace

GAP = 34
"""Pixels between two panels, with the axis title of the lower one."""
NOTHING_PLAYED = "No period has been played yet."
FEW_PERIODS = 10
LEGEND_WIDTH = 600
"""Width in pixels of a printed page. It is the smallest width that does not count as narrow."""


@dataclass(frozen=True)
class Panel:
    """One panel with its own y axis.

    title: what it shows, with the unit
    height: in pixels
    bounds: lowest and highest value of the y axis
    axis: further options of the y axis
    """

    title: str
    traces: Sequence[Trace]
    height: int
    bounds: tuple[float, float]
    axis: dict[str, Any] = field(default_factory=dict)
    annotations: Sequence[dict[str, Any]] = ()

    def titles(self, top: float, shift: float) -> list[dict[str, Any]]:
        """Return the annotations above the panel: its title, and on the right a key to its small triangles, if any.

        top: upper edge of the panel, as a share of the plotting area
        shift: pixels by which the title moves to the right
        """
        notes = [theme.annotation(self.title, 0, top, xshift=shift, yshift=3)]
        if label := theme.beyond_label(self.traces):
            notes.append(theme.annotation(label, 1, top, xanchor="right", yshift=3))
        return notes


def panel_figure(
    panels: Sequence[Panel], last: int, *, description: str, left: int = 48, select: str = "period", **layout: Any
) -> PlotlyFigure:
    """Build a figure of panels from top to bottom over the periods 0 to `last`. Tick labels get `left` pixels.

    select: what a click opens: "period" of the page's run, or "url", the address of the point
    """
    inner = sum(panel.height for panel in panels) + GAP * (len(panels) - 1)
    bottom = inner
    data: list[Trace] = []
    annotations: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for index, panel in enumerate(panels):
        y = f"y{theme.suffix(index)}"
        top, bottom = bottom, bottom - panel.height
        domain = [max(bottom / inner, 0.0), top / inner]
        axes[f"yaxis{theme.suffix(index)}"] = theme.y_axis(domain=domain, range=list(panel.bounds), **panel.axis)
        data += [trace | {"yaxis": y} for trace in panel.traces]
        annotations += panel.titles(domain[1], 18 - left)
        annotations += [note | {"yref": y} for note in panel.annotations]
        bottom -= GAP
    axes["xaxis"] = theme.x_axis(
        range=[-0.02 * last - 0.3, last + 0.02 * last + 0.3],
        anchor=f"y{theme.suffix(len(panels) - 1)}",
        **({"dtick": 1} if last <= FEW_PERIODS else {"nticks": 11}),
        tickformat="d",
        minallowed=-0.5 - 0.02 * last,
        maxallowed=1.02 * last + 0.5,
        title=theme.axis_title("period", 4),
        unifiedhovertitle={"text": "Period %{x}"},
        spikecolor=theme.LINE,
        spikethickness=1,
        spikedash="solid",
    )
    base = {"hovermode": "x unified", "hoversubplots": "axis", "hoverdistance": -1, "annotations": annotations}
    height = inner + theme.MARGIN["t"] + theme.MARGIN["b"]
    figure = theme.figure(data, base | axes | layout, description=description, height=height, left=left, select=select)
    return theme.with_legend_room(figure, LEGEND_WIDTH)


def path(
    outcomes: Sequence[Outcome],
    values: Sequence[float | None],
    name: str,
    colour: str,
    texts: Sequence[str],
    **look: Any,
) -> Trace:
    """Return a line over the periods of a run, or a dot if only one was played. `texts` are shown on hovering."""
    return theme.visible(
        theme.line([outcome.period for outcome in outcomes], values, name, colour, hovertext=list(texts), **look)
    )


def last_period(played_periods: int, periods: int, ended: bool) -> int:
    """Return the end of the x axis: the last planned period, or a point soon after the end of a run that ended early."""
    return max(played_periods, FEW_PERIODS) if ended else max(periods - 1, 1)
