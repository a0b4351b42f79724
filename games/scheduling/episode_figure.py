"""Figures of a scheduling run: blocking pairs of each assignment, and repeats of pairs that were given as feedback."""

from collections.abc import Sequence
from typing import Any

from environments.base import Instance, Outcome
from environments.scheduling.environment import requeried
from environments.scheduling.instance import expected_at
from environments.shocks import period_of, so_far, worlds
from games.overlay import RunPath, overlay_panels, values_of
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted


def scheduling_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Blocking pairs by period, with the fewest so far. Ticks below mark periods that repeat a pair given as feedback."""
    expected = expected_at(instance, outcomes[-1].period)
    x = [outcome.period for outcome in outcomes]
    counts = [outcome.result["blocking_pairs"] for outcome in outcomes]
    fewest = so_far(instance, counts, min)
    random = _random(instance, last, "random, expected")
    highest = max([*counts, *random["y"], 1.0])
    again = [repeats for world in worlds(instance, outcomes) for repeats in requeried(world)]
    repeated = [period for period, repeats in zip(x, again, strict=True) if repeats]
    traces = [
        random,
        theme.marked(theme.line(
            x, counts, "this period", colour, opacity=0.6, mode="lines+markers", line={"color": colour, "width": 1},
            marker={"color": colour, "size": 5}, hovertext=[_pairs(count) for count in counts],
        )),
        theme.step_line(x, fewest, "fewest so far", colour, hovertext=[f"fewest so far {count}" for count in fewest]),
        theme.dots(
            repeated, [-0.06 * highest] * len(repeated), "requeried", theme.WARN, symbol="line-ns", size=7,
            hovertext=["requeried: repeats a pair it was told about"] * len(repeated),
        ),
    ]  # fmt: skip
    stable = theme.annotation("stable", x[-1], 0, xref="x", xanchor="left", xshift=8)
    panel = Panel(
        title="blocking pairs",
        traces=traces,
        height=280,
        bounds=(-0.11 * highest, 1.06 * highest),
        axis={"tick0": 0, "rangemode": "nonnegative"},
        annotations=[stable] if outcomes[-1].result["stable"] else [],
    )
    description = (
        f"{counted(len(counts), 'assignment,assignments')}. The first has {_pairs(counts[0])}, "
        f"the last {_pairs(counts[-1])}; the fewest were {min(counts)}, in period {counts.index(min(counts))}. "
        f"A random assignment is expected to have {expected:.1f}. Requeried periods: {len(repeated)}."
    )
    return panel_figure([panel], last, description=description)


def _random(instance: Instance, last: int, name: str, **options: Any) -> Trace:
    """The expected blocking pairs of a random assignment, with a step at a shock."""
    shock = period_of(instance)
    x = [0, last] if shock is None or shock > last else [0, shock - 0.5, shock - 0.5, last]
    y = [expected_at(instance, period) for period in ([0, 0] if len(x) == 2 else [0, 0, last, last])]
    return theme.reference(x, y, name, **options)


def _pairs(count: int) -> str:
    return "stable, no blocking pair" if count == 0 else counted(count, "blocking pair,blocking pairs")


def scheduling_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """Two panels with one line for each run: the fewest blocking pairs so far, and those of each assignment."""
    best, each = [], []
    for run in runs:
        counts = [outcome.result["blocking_pairs"] for outcome in run.outcomes]
        fewest = so_far(instance, counts, min)
        best.append(run.steps(fewest, [f"fewest so far {count}" for count in fewest]))
        each.append(run.line(counts, [_pairs(count) for count in counts]))
    random = _random(instance, last, "random, expected", showlegend=False)
    highest = max([*values_of(each), *random["y"], 1.0])
    bounds, axis = (-0.05 * highest, 1.06 * highest), {"tick0": 0, "rangemode": "nonnegative"}
    panels = [
        Panel("fewest blocking pairs so far", [random, *best], 190, bounds, axis),
        Panel("blocking pairs of each assignment", [random, *each], 130, bounds, axis),
    ]
    return overlay_panels(
        panels, last, runs, f"A random assignment is expected to have {random['y'][0]:.1f} blocking pairs."
    )
