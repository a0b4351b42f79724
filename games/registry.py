"""The table of games by environment. To add a game, write a folder like the others and add a line here."""

from collections.abc import Sequence

from environments.base import Instance, Outcome
from games.collusion import COLLUSION
from games.equality import EQUALITY
from games.overlay import RunPath
from games.parts import GameParts
from games.patience import PATIENCE
from games.pricing import PRICING
from games.procurement import PROCUREMENT
from games.scheduling import SCHEDULING
from infrastructure.figures.panels import NOTHING_PLAYED, last_period
from infrastructure.figures.theme import ACCENT, PlotlyFigure, empty_figure

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


def parts_of(environment: str) -> GameParts:
    return GAMES.get(environment, DEFAULT_PARTS)


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
    return draw(instance, outcomes, last_period(len(outcomes), periods, outcomes[-1].ended), colour)


def overlay_figure(instance: Instance, runs: Sequence[RunPath], periods: int) -> PlotlyFigure:
    """A chart with several runs of one instance. `periods`: the length of the longest run."""
    runs = [run for run in runs if run.outcomes]
    if not runs:
        return empty_figure(NOTHING_PLAYED)
    last = max(last_period(len(run.outcomes), periods, run.outcomes[-1].ended) for run in runs)
    return parts_of(instance.environment).overlay(instance, runs, last)
