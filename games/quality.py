"""Default figures for environments without their own: the quality of each period."""

from collections.abc import Sequence

from environments.base import Instance, Outcome
from games.overlay import RunPath, overlay_panels, values_of, with_edges
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure

LOWEST = -1.0
"""Lowest quality shown in an overlay. Worse periods are marked at the edge."""


def quality_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    x = [outcome.period for outcome in outcomes]
    shares = [outcome.quality for outcome in outcomes]
    texts = ["not known" if share is None else f"{share:.1%} of the best possible" for share in shares]
    trace = theme.line(x, shares, "quality", colour, mode="lines+markers", hovertext=texts, showlegend=False)
    low, high = theme.padded([*shares, 0.0, 1.0])
    best = theme.reference([0, last], [1, 1], "best possible", showlegend=False)
    panel = Panel("% of the best possible", [best, theme.marked(trace)], 240, (low, high), {"tickformat": ".0%"})
    return panel_figure([panel], last, description=f"Quality of {len(outcomes)} periods; 100 % is the best possible.")


UNKNOWN = "The periods of these runs have no known quality to draw. The periods below show what each run did."


def quality_panel(instance: Instance, runs: Sequence[RunPath], last: int) -> Panel:
    """The quality of each period, one line for each run. Its traces are empty if no quality is known."""
    traces = []
    for run in runs:
        shares = [outcome.quality for outcome in run.outcomes]
        texts = ["not known" if share is None else f"{share:.1%} of the best possible" for share in shares]
        traces.append(run.line(shares, texts))
    values = values_of(traces)
    bounds = theme.padded([*(max(value, LOWEST) for value in values), 0.0, 1.0])
    best = theme.reference([0, last], [1, 1], "best possible", showlegend=False)
    lines = [best, *with_edges(traces, bounds)] if values else []
    return Panel("% of the best possible", lines, 240, bounds, {"tickformat": ".0%"})


def quality_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    panel = quality_panel(instance, runs, last)
    if not panel.traces:
        return theme.empty_figure(UNKNOWN)
    return overlay_panels([panel], last, runs, "Quality by period; 100 % is the best possible.")
