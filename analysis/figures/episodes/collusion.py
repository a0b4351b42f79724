"""Collusiveness versus competitiveness: the prices of a run, and where runs ended between Nash and collusion."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from analysis.base.table import RunRecord
from analysis.figures.episodes.overlay import RunPath, overlay_panels, values_of, with_edges
from analysis.figures.pareto import LEGEND_WIDTH, plane_title
from environments.base import Instance, Outcome
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.panels import Panel, panel_figure, path
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span

NO_RUNS = "No market of two has finished yet."
WIDTHS = (3.0, 1.25)
"""Pixels of the two price paths. The second is thinner, so that both are visible where they coincide."""
LOWEST, HIGHEST = -1.0, 2.5
"""Bounds of the scale with Nash at 0 and the collusive price at 1. Runs beyond are drawn at the edge."""


def collusion_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Price paths with the Nash and the collusive price, or of a single seller with its optimum; profits below."""
    # The same agent may have both seats.
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
    # A few extreme prices must not flatten the rest.
    low, high = theme.padded([0.0, values[len(values) // 20], values[-1]])
    return Panel("profit, $ a period", traces, 92, (low, high), {"nticks": 4})


def collusion_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """The average price of the sellers, a line for each run, with the Nash and the collusive price."""
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


def metric_by_seat(run: RunRecord, metric: str) -> list[float]:
    """A metric of both seats. `place_by_seat` has mean prices on the scale with Nash at 0 and collusive at 1."""
    return [value for _, value in sorted(run.metrics[metric].items())]


def market_figure(
    runs: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """Each dot is one scored market of two: the average prices of both seats (earlier paper, figure 7)."""
    if not runs:
        return theme.empty_figure(NO_RUNS)
    ends = [LOWEST, HIGHEST]
    data = [
        theme.reference(ends, ends, "equal prices", showlegend=False, line={"color": theme.LINE, "width": 1}),
        theme.dots([0, 1], [0, 1], "", theme.INK, symbol="cross-thin", size=11, showlegend=False, hoverinfo="skip"),
    ]
    for player in dict.fromkeys(run.player for run in runs):
        own = [run for run in runs if run.player == player]
        x, y = zip(*(map(_within_scale, metric_by_seat(run, "place_by_seat")) for run in own), strict=True)
        targets = [link(run.run_id) for run in own]
        texts = [_market_text(run, target) for run, target in zip(own, targets, strict=True)]
        style = styles[own[0].agent_id]
        data.append(style.dots(x, y, theme.plain(player, 40), 0.85, hovertext=texts, customdata=targets))
    values = [price for run in runs for price in metric_by_seat(run, "place_by_seat")]
    bounds = list(theme.padded([-0.2, 1.2, *map(_within_scale, values)], 0.04))
    title = theme.axis_title("seat 0: average price, Nash 0, collusive 1", 6)
    at: dict[str, Any] = {"xref": "x", "yref": "y", "xshift": 8, "yanchor": "top"}
    layout = {
        "hovermode": "closest",
        "hoverdistance": 14,
        "xaxis": theme.x_axis(range=bounds, title=title, dtick=0.5),
        "yaxis": theme.y_axis(range=bounds, dtick=0.5),
        "annotations": [
            plane_title("seat 1: average price, Nash 0, collusive 1"),
            theme.annotation("Nash", 0, 0, **at),
            theme.annotation("collusive", 1, 1, **at),
        ],
    }
    description = (
        f"Average prices of both sellers in {counted(len(runs), 'finished market,finished markets')}, on a scale "
        f"with the Nash price at 0 and the collusive price at 1: {span(values, '{:.2f}'.format)}."
    )
    return theme.with_legend_room(
        theme.figure(data, layout, description=description, height=400, select="url"), LEGEND_WIDTH
    )


def _within_scale(price: float) -> float:
    return min(max(price, LOWEST), HIGHEST)


def _market_text(run: RunRecord, address: str) -> str:
    first, second = metric_by_seat(run, "mean_price_by_seat")
    beyond = any(not LOWEST <= price <= HIGHEST for price in metric_by_seat(run, "place_by_seat"))
    return (
        f"{theme.plain(run.player, 60)}, seed {run.seed}{theme.run_suffix(run.run_id, address)}: "
        f"average ${first:,.2f} and ${second:,.2f}, "
        f"litmus {run.score:.2f}{', beyond the chart' if beyond else ''}"
    )
