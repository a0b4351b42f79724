"""Shared code for overlays: charts with several runs of one instance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from environments.base import Outcome
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

DASHES = ("solid", "7px,3px", "2px,3px", "10px,3px,2px,3px", "14px,4px", "5px,2px")
WIDEST, NARROWEST = 3.2, 1.4
"""Widths of the first and the last line in pixels. Later lines are thinner, so that coinciding lines are all visible."""
MOST_MARKERS = 40
"""Maximum number of periods of a run whose points are shown."""


@dataclass(frozen=True)
class RunPath:
    """One run of an overlay, with at least one played period.

    name: name in the legend and in hover texts
    symbol: marker of its points; hollow for baselines, as on every page
    link: returns the URL of a period from its index
    """

    name: str
    colour: str
    symbol: str
    dash: str
    width: float
    outcomes: Sequence[Outcome]
    link: Callable[[int], str]

    def line(self, values: Sequence[float | None], texts: Sequence[str]) -> Trace:
        """A line over the periods. `texts`: the hover text of each value."""
        periods = [outcome.period for outcome in self.outcomes]
        hover_texts = [f"{self.name}, period {period}: {text}" for period, text in zip(periods, texts, strict=True)]
        return self.curve(periods, values, hover_texts, [self.link(period) for period in periods])

    def curve(self, x: Sequence[float], y: Sequence[float | None], texts: Sequence[str], links: Sequence[str]) -> Trace:
        mode = "lines+markers" if len(self.outcomes) <= MOST_MARKERS else "lines"
        return theme.line(
            x, y, self.name, self.colour, mode=mode, hovertext=list(texts), customdata=list(links), cliponaxis=True,
            line={"color": self.colour, "width": self.width, "dash": self.dash},
            marker={"color": self.colour, "symbol": self.symbol, "size": 6},
        )  # fmt: skip

    def steps(self, values: Sequence[float | None], texts: Sequence[str]) -> Trace:
        """A line that keeps each value until the next period."""
        trace = self.line(values, texts)
        return trace | {"line": trace["line"] | {"shape": "hv"}}


def run_paths(runs: Sequence[tuple[str, AgentStyle, Sequence[Outcome], Callable[[int], str]]]) -> list[RunPath]:
    """Make paths from (name, style of the agent, outcomes, link). Runs with the same colour get different dashes."""
    narrower = (WIDEST - NARROWEST) / max(1, len(runs) - 1)
    seen: dict[str, int] = {}
    paths = []
    for index, (name, style, outcomes, link) in enumerate(runs):
        rank = seen[style.colour] = seen.get(style.colour, -1) + 1
        look = (style.colour, style.symbol, DASHES[rank % len(DASHES)], WIDEST - index * narrower)
        paths.append(RunPath(theme.plain(name, 44), *look, outcomes, link))
    return paths


def overlay_panels(
    panels: Sequence[Panel], last: int, runs: Sequence[RunPath], description: str, left: int = 48
) -> PlotlyFigure:
    """A figure of panels. A click on a point opens that period of its run. The legend is that of the first panel."""
    first, *others = panels
    quiet = [replace(panel, traces=[trace | {"showlegend": False} for trace in panel.traces]) for panel in others]
    figure = panel_figure(
        [first, *quiet], last, description=f"{description} Runs: {'; '.join(run.name for run in runs)}.", left=left,
        select="url", hovermode="closest", hoverdistance=20,
    )  # fmt: skip
    figure["layout"]["meta"]["band"] = True
    return figure


def with_edges(traces: Sequence[Trace], bounds: tuple[float, float]) -> list[Trace]:
    """Add triangles to traces: they mark values beyond the bounds at the edge of the panel."""
    edges = (theme.off_scale(trace["x"], trace["y"], bounds, trace["line"]["color"]) for trace in traces)
    return [*traces, *(mark for marks in edges for mark in marks)]


def values_of(traces: Sequence[Trace]) -> list[float]:
    return [value for trace in traces for value in trace["y"] if value is not None]
