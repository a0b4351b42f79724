"""Figures of a scheduling run: blocking pairs of each assignment, and repeats of pairs that were given as feedback."""

from collections.abc import Sequence
from itertools import accumulate

from environments.base import Instance, Outcome
from games.overlay import RunPath, overlay_panels, values_of
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted


def scheduling_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Blocking pairs by period, with the fewest so far. Ticks below mark periods that repeat a pair given as feedback."""
    expected = instance.reference["expected_blocking_pairs"]
    x = [outcome.period for outcome in outcomes]
    counts = [outcome.result["blocking_pairs"] for outcome in outcomes]
    fewest = list(accumulate(counts, min))
    highest = max([*counts, expected, 1.0])
    repeated = [period for period, again in zip(x, requeried(outcomes), strict=True) if again]
    traces = [
        theme.reference([0, last], [expected, expected], "random, expected"),
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


def _pairs(count: int) -> str:
    return "stable, no blocking pair" if count == 0 else counted(count, "blocking pair,blocking pairs")


def scheduling_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """Two panels with one line for each run: the fewest blocking pairs so far, and those of each assignment."""
    expected = instance.reference["expected_blocking_pairs"]
    best, each = [], []
    for run in runs:
        counts = [outcome.result["blocking_pairs"] for outcome in run.outcomes]
        fewest = list(accumulate(counts, min))
        best.append(run.steps(fewest, [f"fewest so far {count}" for count in fewest]))
        each.append(run.line(counts, [_pairs(count) for count in counts]))
    highest = max([*values_of(each), expected, 1.0])
    bounds, axis = (-0.05 * highest, 1.06 * highest), {"tick0": 0, "rangemode": "nonnegative"}
    random = theme.reference([0, last], [expected, expected], "random, expected", showlegend=False)
    panels = [
        Panel("fewest blocking pairs so far", [random, *best], 190, bounds, axis),
        Panel("blocking pairs of each assignment", [random, *each], 130, bounds, axis),
    ]
    return overlay_panels(panels, last, runs, f"A random assignment is expected to have {expected:.1f} blocking pairs.")
