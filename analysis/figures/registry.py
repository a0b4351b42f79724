"""The figures of runs and instances by environment. To add one, write a file like its siblings and add a line here."""

from collections.abc import Callable, Sequence

from analysis.figures.episodes.collusion import collusion_figure, collusion_overlay
from analysis.figures.episodes.equality import equality_figure, equality_overlay, plane_figure
from analysis.figures.episodes.overlay import RunPath
from analysis.figures.episodes.patience import patience_figure, patience_overlay
from analysis.figures.episodes.pricing import pricing_figure, pricing_overlay
from analysis.figures.episodes.procurement import procurement_figure, procurement_overlay
from analysis.figures.episodes.quality import quality_figure, quality_overlay
from analysis.figures.episodes.scheduling import scheduling_figure, scheduling_overlay
from analysis.figures.instances.collusion import collusion_instance
from analysis.figures.instances.equality import equality_instance
from analysis.figures.instances.patience import patience_instance
from analysis.figures.instances.pricing import pricing_instance
from analysis.figures.instances.procurement import procurement_instance
from analysis.figures.instances.scheduling import scheduling_instance
from environments.base import Instance, Outcome
from infrastructure.figures.panels import NOTHING_PLAYED, last_period
from infrastructure.figures.theme import ACCENT, PlotlyFigure, empty_figure

RunFigure = Callable[[Instance, Sequence[Outcome], int, str], PlotlyFigure]
"""Arguments: the instance, at least one outcome, the last period of the x axis, the colour of the agent."""

RUN_FIGURES: dict[str, RunFigure] = {
    "procurement": procurement_figure,
    "scheduling": scheduling_figure,
    "pricing": pricing_figure,
    "efficiency_vs_equality": equality_figure,
    "collusiveness_vs_competitiveness": collusion_figure,
    "patience_vs_impatience": patience_figure,
}

PLANE_FIGURES: dict[str, RunFigure] = {"efficiency_vs_equality": plane_figure}
"""A second figure of a run: the plane of two goals instead of the periods."""

RunOverlay = Callable[[Instance, Sequence[RunPath], int], PlotlyFigure]
"""Arguments: the instance, runs on it with at least one outcome each, the last period of the x axis."""

RUN_OVERLAYS: dict[str, RunOverlay] = {
    "procurement": procurement_overlay,
    "scheduling": scheduling_overlay,
    "pricing": pricing_overlay,
    "efficiency_vs_equality": equality_overlay,
    "collusiveness_vs_competitiveness": collusion_overlay,
    "patience_vs_impatience": patience_overlay,
}
"""Several runs of one instance in one chart. Any other environment shows the quality of each period."""

InstanceFigure = Callable[[Instance], PlotlyFigure]
"""Argument: the instance, whose reference is empty if it is costly and no worker has computed it."""

INSTANCE_FIGURES: dict[str, InstanceFigure] = {
    "procurement": procurement_instance,
    "scheduling": scheduling_instance,
    "pricing": pricing_instance,
    "efficiency_vs_equality": equality_instance,
    "collusiveness_vs_competitiveness": collusion_instance,
    "patience_vs_impatience": patience_instance,
}
"""The figure of an instance, with its hidden values. An environment without an entry shows its values as tables."""

LITMUS_CHARTS: dict[str, tuple[str, str]] = {
    "pareto": ("efficiency_vs_equality", "main"),
    "markets": ("collusiveness_vs_competitiveness", "main"),
    "patience": ("patience_vs_impatience", "main"),
    "names": ("patience_vs_impatience", "user_name"),
}
"""The charts of the litmus page, each with the environment and variant of the runs that it shows."""


def has_figure(environment: str, name: str) -> bool:
    """Every run has a 'chart', some have a 'plane'."""
    return name == "chart" or (name == "plane" and environment in PLANE_FIGURES)


def run_figure(
    instance: Instance, outcomes: Sequence[Outcome], periods: int, colour: str = ACCENT, name: str = "chart"
) -> PlotlyFigure:
    """A figure of a run of `periods` periods, of which `outcomes` were played."""
    if not outcomes:
        return empty_figure(NOTHING_PLAYED)
    figures = PLANE_FIGURES if name == "plane" else RUN_FIGURES
    draw = figures.get(instance.environment, quality_figure)
    return draw(instance, outcomes, last_period(len(outcomes), periods, outcomes[-1].ended), colour)


def overlay_figure(instance: Instance, runs: Sequence[RunPath], periods: int) -> PlotlyFigure:
    """Runs of one instance in one chart; `periods` is the length of the longest."""
    runs = [run for run in runs if run.outcomes]
    if not runs:
        return empty_figure(NOTHING_PLAYED)
    last = max(last_period(len(run.outcomes), periods, run.outcomes[-1].ended) for run in runs)
    return RUN_OVERLAYS.get(instance.environment, quality_overlay)(instance, runs, last)
