"""Figures of collusiveness versus competitiveness: the prices and profits of a run, and the prices of several runs."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from environments.base import Instance, Outcome
from games.overlay import RunPath, overlay_panels, values_of, with_edges
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure, path
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

WIDTHS = (3.0, 1.25)
"""Line widths of the two price paths in pixels. The second is thinner, so that both are visible if they coincide."""


def collusion_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Price paths with the Nash and the collusive price, or for a single seller with its optimal price; profits below."""
    # The second seat gets another colour, because the same agent may have both seats.
    other = theme.PALETTE[1] if colour != theme.PALETTE[1] else theme.PALETTE[0]
    colours = dict(zip(outcomes[0].action, (colour, other), strict=False))
    final = ", ".join(f"{seat_name(seat)} ${price:.2f}" for seat, price in outcomes[-1].action.items())
    description = f"Prices of {counted(len(outcomes), 'period,periods')}; in the last one {final}."
    panels = [_price_panel(instance, outcomes, last, colours), _profit_panel(outcomes, colours)]
    return panel_figure(panels, last, description=description)


def seat_name(seat: str) -> str:
    return seat.replace("_", " ")


def _look(index: int, colour: str) -> dict[str, Any]:
    return {"cliponaxis": True, "line": {"color": colour, "width": WIDTHS[index]}}


def _price_panel(instance: Instance, outcomes: Sequence[Outcome], last: int, colours: Mapping[str, str]) -> Panel:
    reference = instance.reference
    levels = {"Nash": reference["nash_price"], "collusive": reference["collusive_price"]}
    if len(colours) == 1:
        levels = {"optimum of a single seller": reference["single_agent_price"]}
    paths = {seat: [float(outcome.action[seat]) for outcome in outcomes] for seat in colours}
    top = 1.25 * max(instance.parameters["price_ceiling"], *levels.values())
    low, high = theme.padded([*levels.values(), *(min(price, top) for prices in paths.values() for price in prices)])
    bounds = (max(low, 0.0), high)
    traces: list[Trace] = [
        theme.reference([0, last], [level] * 2, name, showlegend=False) for name, level in levels.items()
    ]
    for index, (seat, prices) in enumerate(paths.items()):
        name, colour = seat_name(seat), colours[seat]
        texts = [f"{name} ${price:.2f}" for price in prices]
        drawn = path(outcomes, prices, name, colour, texts, showlegend=True, **_look(index, colour))
        traces += [theme.marked(drawn), *theme.off_scale(drawn["x"], prices, bounds, colour)]
    return Panel("price, $", traces, 220, bounds, {"nticks": 7}, _level_names(levels, last))


def _profit_panel(outcomes: Sequence[Outcome], colours: Mapping[str, str]) -> Panel:
    traces = []
    for index, (seat, colour) in enumerate(colours.items()):
        earned = [outcome.result["profits"][seat] for outcome in outcomes]
        texts = [f"{seat_name(seat)} earned ${profit:,.2f}" for profit in earned]
        traces.append(path(outcomes, earned, "", colour, texts, showlegend=False, **_look(index, colour)))
    values = sorted(value for trace in traces for value in trace["y"])
    # Leave out extreme values, because they would flatten the rest of the curves.
    low, high = theme.padded([0.0, values[len(values) // 20], values[-1]])
    return Panel("profit, $ a period", traces, 92, (low, high), {"nticks": 4})


def collusion_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """The average price of the sellers, one line for each run, with the Nash and the collusive price."""
    reference = instance.reference
    levels = {"Nash": reference["nash_price"], "collusive": reference["collusive_price"]}
    traces = []
    for run in runs:
        prices = [fmean(map(float, outcome.action.values())) for outcome in run.outcomes]
        traces.append(run.line(prices, [f"average price ${price:.2f}" for price in prices]))
    top = 1.25 * max(instance.parameters["price_ceiling"], *levels.values())
    low, high = theme.padded([*levels.values(), *(min(price, top) for price in values_of(traces))])
    bounds = (max(low, 0.0), high)
    lines = [theme.reference([0, last], [level] * 2, name, showlegend=False) for name, level in levels.items()]
    panel = Panel("average price of the sellers, $", [*lines, *with_edges(traces, bounds)], 280, bounds, {"nticks": 7},
                  _level_names(levels, last))  # fmt: skip
    levels_text = " and ".join(f"{name} price ${level:.2f}" for name, level in levels.items())
    return overlay_panels([panel], last, runs, f"Average prices by period; {levels_text}.")


def _level_names(levels: Mapping[str, float], last: int) -> list[dict[str, Any]]:
    return [
        theme.annotation(f"{name} ${level:.2f}", last, level, xref="x", xanchor="right")
        for name, level in levels.items()
    ]
