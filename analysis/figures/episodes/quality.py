"""A run of an environment without a figure of its own: what each period was worth."""

from collections.abc import Sequence

from analysis.figures import theme
from analysis.figures.panels import Panel, panel_figure
from analysis.figures.theme import PlotlyFigure
from environments.base import Instance, Outcome


def quality_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    x = [outcome.period for outcome in outcomes]
    shares = [outcome.quality for outcome in outcomes]
    texts = ["not known" if share is None else f"{share:.1%} of the best possible" for share in shares]
    played = theme.line(x, shares, "quality", colour, mode="lines+markers", hovertext=texts, showlegend=False)
    low, high = theme.padded([*shares, 0.0, 1.0])
    best = theme.reference([0, last], [1, 1], "best possible", showlegend=False)
    panel = Panel("% of the best possible", [best, theme.marked(played)], 240, (low, high), {"tickformat": ".0%"})
    return panel_figure([panel], last, description=f"Quality of {len(outcomes)} periods; 100 % is the best possible.")
