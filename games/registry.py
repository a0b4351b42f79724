"""The table of games by environment. To add a game, write a folder like the others and add a line here."""

from collections.abc import Sequence

from environments.base import Instance, Outcome
from environments.registry import variant_of
from environments.shocks import period_of
from games.collusion import COLLUSION
from games.equality import EQUALITY
from games.overlay import RunPath
from games.parts import GameParts, Metric
from games.patience import PATIENCE
from games.pricing import PRICING
from games.procurement import PROCUREMENT
from games.scheduling import SCHEDULING
from infrastructure.figures.panels import NOTHING_PLAYED, last_period
from infrastructure.figures.theme import ACCENT, WARN, PlotlyFigure, annotation, empty_figure

GAMES: dict[str, GameParts] = {
    "procurement": PROCUREMENT,
    "scheduling": SCHEDULING,
    "pricing": PRICING,
    "efficiency_vs_equality": EQUALITY,
    "collusiveness_vs_competitiveness": COLLUSION,
    "patience_vs_impatience": PATIENCE,
}

LITMUS_CHARTS: dict[str, tuple[str, str]] = {
    chart: (environment, variant)
    for environment, parts in GAMES.items()
    for chart, variant in parts.litmus_charts.items()
}
"""The charts of the litmus page, each with the environment and variant of the runs that it shows."""

LOG_FORMATS = [parts.log_format for parts in GAMES.values() if parts.log_format]
ANSWER_FORMATS = [parts.answer_format for parts in GAMES.values() if parts.answer_format]

DEFAULT_PARTS = GameParts()

SHOCK_LINE = {"color": WARN, "width": 1.5, "dash": "dot"}


def parts_of(environment: str) -> GameParts:
    return GAMES.get(environment, DEFAULT_PARTS)


def metrics_of(environment: str, variant: str) -> tuple[Metric, ...]:
    """The metrics that runs under a variant have."""
    has_shock = bool(variant_of(environment, variant).settings)
    return tuple(metric for metric in parts_of(environment).metrics if has_shock or not metric.of_shocks)


def has_figure(environment: str, name: str) -> bool:
    """Whether runs of an environment have the figure `name`. All have a 'chart', some have a 'plane'."""
    return name == "chart" or (name == "plane" and parts_of(environment).plane is not None)


def run_figure(
    instance: Instance, outcomes: Sequence[Outcome], periods: int, colour: str = ACCENT, name: str = "chart"
) -> PlotlyFigure:
    """A figure of a run. `periods`: its planned length; `outcomes`: the periods played so far."""
    if not outcomes:
        return empty_figure(NOTHING_PLAYED)
    parts = parts_of(instance.environment)
    draw = parts.plane if name == "plane" and parts.plane else parts.figure
    last = last_period(len(outcomes), periods, outcomes[-1].ended)
    figure = draw(instance, outcomes, last, colour)
    return _with_shock(figure, instance, last) if name == "chart" else figure


def overlay_figure(instance: Instance, runs: Sequence[RunPath], periods: int) -> PlotlyFigure:
    """A chart with several runs of one instance. `periods`: the length of the longest run."""
    runs = [run for run in runs if run.outcomes]
    if not runs:
        return empty_figure(NOTHING_PLAYED)
    last = max(last_period(len(run.outcomes), periods, run.outcomes[-1].ended) for run in runs)
    return _with_shock(parts_of(instance.environment).overlay(instance, runs, last), instance, last)


def _with_shock(figure: PlotlyFigure, instance: Instance, last: int) -> PlotlyFigure:
    """Mark the shock of an instance, if it has one, with a line through all panels of a chart over the periods."""
    shock = period_of(instance)
    if shock is None or shock > last:
        return figure
    layout, at = figure["layout"], shock - 0.5
    line = {"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1, "line": SHOCK_LINE}
    label = annotation("shock", at, 1, xref="x", yanchor="top", xshift=3, font={"size": 11, "color": WARN})
    meta = layout["meta"] | {"description": f"{layout['meta']['description']} The shock comes in period {shock}."}
    shapes, annotations = [*layout.get("shapes", []), line], [*layout.get("annotations", []), label]
    return figure | {"layout": layout | {"shapes": shapes, "annotations": annotations, "meta": meta}}
