"""Collusiveness versus competitiveness: the prices of a run, and where runs ended between Nash and collusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.panels import Panel, panel_figure
from analysis.figures.pareto import LEGEND_WIDTH
from analysis.figures.theme import PlotlyFigure, Trace
from environments.base import Instance, Outcome
from infrastructure.text.formats import counted

NO_RUNS = "No market of two has finished yet."
WIDTHS = (3.0, 1.25)
"""Pixels of the two price paths. The second is thinner, so that both are visible where they coincide."""
LOWEST, HIGHEST = -1.0, 2.5
"""Bounds of the scale with Nash at 0 and the collusive price at 1. Runs beyond are drawn at the edge."""


def collusion_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Price paths with the Nash and the collusive price, or of a single seller with its optimum; profits below."""
    seats = list(outcomes[0].action)
    colours = dict(zip(seats, (colour, other_colour(colour)), strict=False))
    panels = [_price_panel(instance, outcomes, last, colours), _profit_panel(outcomes, colours)]
    return panel_figure(panels, last, description=_description(outcomes, seats))


def other_colour(colour: str) -> str:
    """A colour for the second seat, which the same agent may have."""
    return theme.PALETTE[1] if colour != theme.PALETTE[1] else theme.PALETTE[0]


def _price_panel(instance: Instance, outcomes: Sequence[Outcome], last: int, colours: Mapping[str, str]) -> Panel:
    reference = instance.reference
    levels = {"Nash": reference["nash_price"], "collusive": reference["collusive_price"]}
    if len(colours) == 1:
        levels = {"optimum of a single seller": reference["single_agent_price"]}
    x = [outcome.period for outcome in outcomes]
    paths = {seat: [float(outcome.action[seat]) for outcome in outcomes] for seat in colours}
    top = 1.25 * max(instance.parameters["price_ceiling"], *levels.values())
    low, high = theme.padded([*levels.values(), *(min(price, top) for path in paths.values() for price in path)])
    bounds = (max(low, 0.0), high)
    traces: list[Trace] = [
        theme.reference([0, last], [level] * 2, name, showlegend=False) for name, level in levels.items()
    ]
    for place, (seat, path) in enumerate(paths.items()):
        words = seat.replace("_", " ")
        texts = [f"{words} ${price:.2f}" for price in path]
        traces.append(theme.marked(_path(x, path, words, colours[seat], texts, WIDTHS[place])))
        traces += theme.off_scale(x, path, bounds, colours[seat])
    notes = [
        theme.annotation(f"{name} ${level:.2f}", last, level, xref="x", xanchor="right")
        for name, level in levels.items()
    ]
    return Panel("price, $", traces, 220, bounds, {"nticks": 7}, notes)


def _path(x: Sequence[int], y: Sequence[float], name: str, colour: str, texts: Sequence[str], width: float) -> Trace:
    look = {"color": colour, "width": width}
    return theme.visible(
        theme.line(x, y, name, colour, hovertext=list(texts), cliponaxis=True, line=look, showlegend=bool(name))
    )


def _profit_panel(outcomes: Sequence[Outcome], colours: Mapping[str, str]) -> Panel:
    x = [outcome.period for outcome in outcomes]
    traces = []
    for place, (seat, colour) in enumerate(colours.items()):
        earned = [outcome.result["profits"][seat] for outcome in outcomes]
        texts = [f"{seat.replace('_', ' ')} earned ${profit:,.2f}" for profit in earned]
        traces.append(_path(x, earned, "", colour, texts, WIDTHS[place]))
    values = sorted(value for trace in traces for value in trace["y"])
    # A few extreme prices must not flatten the rest.
    low, high = theme.padded([0.0, values[len(values) // 20], values[-1]])
    return Panel("profit, $ a period", traces, 92, (low, high), {"nticks": 4})


def _description(outcomes: Sequence[Outcome], seats: Sequence[str]) -> str:
    final = ", ".join(f"{seat.replace('_', ' ')} ${outcomes[-1].action[seat]:.2f}" for seat in seats)
    return f"Prices of {counted(len(outcomes), 'period,periods')}; in the last one {final}."


@dataclass(frozen=True)
class MarketRun:
    """A finished market of two. `places` are its mean prices on the scale with Nash at 0 and collusive at 1."""

    run_id: int
    agent_id: int
    player: str
    seed: int
    litmus: float | None
    prices: tuple[float, float]
    places: tuple[float, float]


def market_figure(
    runs: Sequence[MarketRun], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """Each dot is one run: the average prices of both seats (earlier paper, figure 7)."""
    if not runs:
        return theme.empty_figure(NO_RUNS)
    ends = [LOWEST, HIGHEST]
    data = [
        theme.reference(ends, ends, "equal prices", showlegend=False, line={"color": theme.LINE, "width": 1}),
        theme.dots([0, 1], [0, 1], "", theme.INK, symbol="cross-thin", size=11, showlegend=False, hoverinfo="skip"),
    ]
    data[1]["marker"]["line"] = {"color": theme.INK, "width": 1.5}
    for player in dict.fromkeys(run.player for run in runs):
        own = [run for run in runs if run.player == player]
        data.append(_market_dots(own, styles[own[0].agent_id], link))
    edges = [min(max(place, LOWEST), HIGHEST) for run in runs for place in run.places]
    bounds = list(theme.padded([-0.2, 1.2, *edges], 0.04))
    title = theme.axis_title("seat 0: average price, Nash 0, collusive 1", 6)
    layout = {
        "hovermode": "closest",
        "hoverdistance": 14,
        "xaxis": theme.x_axis(range=bounds, title=title, dtick=0.5),
        "yaxis": theme.y_axis(range=bounds, dtick=0.5),
        "annotations": [
            theme.annotation("seat 1: average price, Nash 0, collusive 1", 0, 1, xshift=-40, yshift=6),
            theme.annotation("Nash", 0, 0, xref="x", yref="y", xshift=8, yanchor="top"),
            theme.annotation("collusive", 1, 1, xref="x", yref="y", xshift=8, yanchor="top"),
        ],
    }
    figure = theme.figure(data, layout, description=_market_description(runs), height=400, select="url")
    return theme.with_legend_room(figure, LEGEND_WIDTH)


def _market_dots(runs: Sequence[MarketRun], style: AgentStyle, link: Callable[[int], str]) -> Trace:
    texts = []
    for run in runs:
        litmus = "" if run.litmus is None else f", litmus {run.litmus:.2f}"
        beyond = ", beyond the chart" if any(not LOWEST <= place <= HIGHEST for place in run.places) else ""
        first, second = run.prices
        texts.append(
            f"{theme.plain(run.player, 60)}, seed {run.seed}: average ${first:,.2f} and ${second:,.2f}{litmus}{beyond}"
        )
    return theme.dots(
        [min(max(run.places[0], LOWEST), HIGHEST) for run in runs],
        [min(max(run.places[1], LOWEST), HIGHEST) for run in runs],
        theme.plain(runs[0].player, 40), style.colour, marker=style.marker(0.85), hovertext=texts,
        customdata=[link(run.run_id) for run in runs],
    )  # fmt: skip


def _market_description(runs: Sequence[MarketRun]) -> str:
    values = [place for run in runs for place in run.places]
    return (
        f"Average prices of both sellers in {counted(len(runs), 'finished market,finished markets')}, on a scale "
        f"with the Nash price at 0 and the collusive price at 1, from {min(values):.2f} to {max(values):.2f}."
    )
