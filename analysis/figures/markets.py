"""The figure of collusiveness against competitiveness: prices of runs between the Nash and the collusive price."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.base.published import PublishedLitmus
from analysis.base.table import RunRecord
from analysis.figures.pareto import LEGEND_WIDTH, dots_by_player
from analysis.figures.printed import published_scores
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted, span

NO_RUNS = "No market of two has finished yet."
LOWEST, HIGHEST = -1.0, 2.5
"""Bounds of the scale with Nash at 0 and the collusive price at 1. Runs beyond are drawn at the edge."""


def metric_by_seat(run: RunRecord, metric: str) -> list[float]:
    """The values of a metric for both seats.

    In `place_by_seat`, mean prices are scaled so that Nash is 0 and collusive 1.
    """
    return [value for _, value in sorted(run.metrics[metric].items())]


def market_figure(
    runs: Sequence[RunRecord],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
    printed: Sequence[PublishedLitmus] = (),
) -> PlotlyFigure:
    """Each dot is one scored market of two: the average prices of both seats (earlier paper, figure 7).

    printed: published scores, on the diagonal, because the papers print no prices
    """
    if not runs and not printed:
        return theme.empty_figure(NO_RUNS)
    ends = [LOWEST, HIGHEST]
    data = [
        theme.reference(ends, ends, "equal prices", showlegend=False, line={"color": theme.LINE, "width": 1}),
        theme.dots([0, 1], [0, 1], "", theme.INK, symbol="cross-thin", size=11, showlegend=False, hoverinfo="skip"),
        *published_scores(printed, lambda score: (score.litmus or 0.0, score.litmus or 0.0), "litmus score"),
        *dots_by_player(runs, lambda run: run.player, _point, _market_text, styles, link),
    ]
    values = [price for run in runs for price in metric_by_seat(run, "place_by_seat")]
    bounds = list(theme.padded([-0.2, 1.2, *map(_within_scale, values)], 0.04))
    at: dict[str, Any] = {"xref": "x", "yref": "y", "xshift": 8, "yanchor": "top"}
    layout = {
        "hovermode": "closest",
        "hoverdistance": 14,
        "xaxis": theme.x_axis(
            range=bounds, title=theme.axis_title("seat 0: average price, Nash 0, collusive 1", 6), dtick=0.5
        ),
        "yaxis": theme.y_axis(range=bounds, dtick=0.5),
        "annotations": [
            theme.plane_title("seat 1: average price, Nash 0, collusive 1"),
            theme.annotation("Nash", 0, 0, **at),
            theme.annotation("collusive", 1, 1, **at),
        ],
    }
    figure = theme.figure(data, layout, description=_description(len(runs), values), height=400, select="url")
    return theme.with_legend_room(figure, LEGEND_WIDTH)


def _description(markets: int, values: Sequence[float]) -> str:
    reach = f": {span(values, '{:.2f}'.format)}" if values else ""
    return (
        f"Average prices of both sellers in {counted(markets, 'finished market,finished markets')}, on a scale "
        f"with the Nash price at 0 and the collusive price at 1{reach}."
    )


def _point(run: RunRecord) -> tuple[float, float]:
    first, second = map(_within_scale, metric_by_seat(run, "place_by_seat"))
    return first, second


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
