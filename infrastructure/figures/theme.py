"""The look of every figure: thin lines, quiet axes, the unit at the top left, dashed reference lines."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

PlotlyFigure = dict[str, Any]
Trace = dict[str, Any]

FONT = "token:sans"
INK, SOFT, FAINT, LINE, PANEL = "token:ink", "token:soft", "token:faint", "token:line", "token:panel"
ACCENT, WARN, BAD = "token:accent", "token:warn", "token:bad"
PALETTE = tuple(f"token:data-{number}" for number in range(1, 11))
"""Ten colours that colour-blind readers tell apart, too; `tests/site/test_colours.py` states how well."""

MOST_DOTS = 5_000
"""The number of dots that browsers draw without delay."""

MARGIN = {"l": 48, "r": 14, "t": 46, "b": 40}
LEGEND_ROW, LEGEND_WIDTH, LEGEND_ITEM, LETTER = 19, 300, 46, 6.2
"""Pixels of a row, a narrow legend, an entry without text, and a letter. They estimate the rows of a legend."""


BASE = {
    "font": {"family": FONT, "size": 11.5, "color": SOFT},
    "paper_bgcolor": PANEL,
    "plot_bgcolor": PANEL,
    "margin": MARGIN,
    "hoverlabel": {
        "bgcolor": PANEL,
        "bordercolor": LINE,
        "font": {"family": FONT, "size": 12, "color": INK},
        "align": "left",
    },
    "legend": {
        "orientation": "h",
        "x": 1,
        "xanchor": "right",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "itemclick": False,
        "itemdoubleclick": False,
        "font": {"size": 11.5, "color": SOFT},
        "bgcolor": PANEL,
    },
    "dragmode": "zoom",
    "uirevision": "kept",
}
"""The layout of every figure."""


def figure(
    data: Sequence[Trace],
    layout: dict[str, Any],
    *,
    description: str,
    height: int,
    left: int = MARGIN["l"],
    **meta: Any,
) -> PlotlyFigure:
    """Build a finished figure. `description` is for screen readers; `height` is in pixels.

    left: pixels for tick labels on the left
    meta: values for the page's script. `select` says what a click opens. `narrow` changes the layout on a small screen;
        by default the legend there starts at the left and gets as many rows as it needs.
    """
    more = LEGEND_ROW * further_rows([trace for trace in data if trace["x"]], LEGEND_WIDTH)
    narrow = {
        "legend": {"x": 0, "xref": "container", "xanchor": "left"},
        "margin": {"l": left - 6, "r": 8, "t": MARGIN["t"] + more},
        "height": height + more,
    }
    meta = {"description": description, "height": height, "narrow": narrow, **meta}
    return {"data": list(data), "layout": deepcopy(BASE) | {"margin": MARGIN | {"l": left}} | layout | {"meta": meta}}


def suffix(index: int) -> str:
    """Return the suffix of Plotly's names of the axes of a panel: "" for index 0, then "2", "3", ..."""
    return "" if index == 0 else str(index + 1)


def on_axes(traces: Iterable[Trace], index: int) -> list[Trace]:
    """Return the traces, assigned to both axes of the panel at this index."""
    return [trace | {"xaxis": f"x{suffix(index)}", "yaxis": f"y{suffix(index)}"} for trace in traces]


def with_legend_room(figure: PlotlyFigure, width: int) -> PlotlyFigure:
    """Add room above the plot for a legend of several rows in a panel of `width` pixels."""
    more = LEGEND_ROW * further_rows(figure["data"], width)
    figure["layout"]["margin"] = figure["layout"]["margin"] | {"t": MARGIN["t"] + more}
    figure["layout"]["meta"]["height"] += more
    return figure


def further_rows(data: Iterable[Trace], width: int) -> int:
    """Return how many rows a legend takes beyond the first, in a panel of `width` pixels."""
    names = [trace["name"] for trace in data if trace.get("name") and trace.get("showlegend", True)]
    widths = [LEGEND_ITEM + LETTER * len(name) for name in names]
    if sum(widths) <= width:
        return 0
    # Plotly sets wrapped entries in columns as wide as the widest.
    return math.ceil(len(names) / max(1, int(width / max(widths)))) - 1


NARROW = 48
"""Characters that fit on a line on a phone."""


def empty_figure(sentence: str, height: int = 200) -> PlotlyFigure:
    """Build a figure that holds only a sentence, which says why there is nothing to show."""
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1]}
    note = annotation("", 0.5, 0.5, xanchor="center", yanchor="middle") | {"font": {"size": 13, "color": SOFT}}
    note["text"] = "<br>".join(plain(line) for line in textwrap.wrap(sentence, NARROW))
    return figure(
        [],
        {"xaxis": hidden, "yaxis": dict(hidden), "annotations": [note], "hovermode": False},
        description=sentence,
        height=height,
    )


def annotation(text: str, x: float, y: float, **options: Any) -> dict[str, Any]:
    """Return a small text. `x` and `y` are shares of the plotting area, unless options refer them to an axis."""
    return {
        "text": plain(text),
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": FAINT},
    } | options


def plane_title(text: str) -> dict[str, Any]:
    """The title of the y axis of a plane, above its ticks."""
    return annotation(text, 0, 1, xshift=-40, yshift=6)


def x_axis(**options: Any) -> dict[str, Any]:
    font = {"size": 11, "color": FAINT}
    return {"showgrid": False, "zeroline": False, "showline": False, "ticks": "", "tickfont": font} | options


def y_axis(**options: Any) -> dict[str, Any]:
    """Return a y axis with horizontal hairlines. It has a fixed range, so that dragging zooms along x only."""
    return x_axis(showgrid=True, gridcolor=LINE, gridwidth=1, nticks=6, fixedrange=True) | options


def axis_title(text: str, standoff: int) -> dict[str, Any]:
    return {"text": text, "standoff": standoff, "font": {"size": 11, "color": FAINT}}


def line(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    return _scatter(x, y, name, {"mode": "lines", "line": {"color": colour, "width": 1.75}}, options)


def step_line(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    return line(x, y, name, colour, line={"color": colour, "width": 2, "shape": "hv"}, **options)


def dots(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    size, symbol = options.pop("size", 6), options.pop("symbol", "circle")
    is_line = symbol.endswith("-thin") or symbol.startswith("line-")
    edge = {"color": colour, "width": 1.5} if is_line else {"width": 0}
    style = {"mode": "markers", "marker": {"color": colour, "size": size, "symbol": symbol, "line": edge}}
    return _scatter(x, y, name, style, options)


def mean_bar(x: float, row: float) -> Trace:
    """A vertical bar at the mean of a row of dots."""
    return dots([x], [row], "", INK, symbol="line-ns", size=20, showlegend=False, hoverinfo="skip")


def reference(x: Sequence[float | None], y: Sequence[float | None], name: str, **options: Any) -> Trace:
    """A dashed, faint line to compare with."""
    style = {"mode": "lines", "line": {"color": FAINT, "width": 1.25, "dash": "4px,3px"}}
    return _scatter(x, y, name, style, {"hoverinfo": "skip"} | options)


def _scatter(
    x: Sequence[float | None], y: Sequence[float | None], name: str, style: dict[str, Any], options: dict[str, Any]
) -> Trace:
    trace = {"type": "scatter", "x": list(x), "y": list(y), "name": plain(name)}
    return trace | {"cliponaxis": False, "hoverinfo": "text"} | style | options


def visible(trace: Trace) -> Trace:
    """Turn a line of one point into a dot, because a line needs two points to be seen."""
    if len(trace["x"]) > 1:
        return trace
    return trace | {"mode": "markers", "marker": {"color": trace["line"]["color"], "size": 7}}


def marked(trace: Trace) -> Trace:
    """Let the page's script draw the chosen period of this trace larger."""
    return trace | {"meta": {"mark": True}}


BEYOND = "beyond the scale"
EDGES = {"triangle-up": "▲", "triangle-down": "▼"}


def off_scale(x: Sequence[float], y: Sequence[float | None], bounds: tuple[float, float], colour: str) -> list[Trace]:
    """Return dots for values beyond the bounds of a panel: small triangles at its edge. See `beyond_label`."""
    low, high = bounds
    points = [(period, value) for period, value in zip(x, y, strict=True) if value is not None]
    above = [period for period, value in points if value > high]
    below = [period for period, value in points if value < low]
    quiet: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    return [
        dots(periods, [edge] * len(periods), BEYOND, colour, symbol=symbol, **quiet)
        for edge, symbol, periods in ((high, "triangle-up", above), (low, "triangle-down", below))
        if periods
    ]


def beyond_label(traces: Sequence[Trace]) -> str:
    """Return the label above a panel that explains its small triangles, "" if it has none.

    It replaces an entry of the legend, which would need more room.
    """
    symbols = {trace["marker"]["symbol"] for trace in traces if trace.get("name") == BEYOND}
    return f"{''.join(sign for symbol, sign in EDGES.items() if symbol in symbols)} {BEYOND}" if symbols else ""


def plain(text: object, limit: int = 120) -> str:
    """Return a text that Plotly shows literally: without pseudo-HTML and entities, cut to `limit` characters."""
    literal = " ".join(str(text).split()).replace("<", "‹").replace(">", "›").replace("&", "＆")
    return literal if len(literal) <= limit else literal[: limit - 1] + "…"


def run_suffix(run_id: int, address: str) -> str:
    """Return ', run 12' to follow the name of an agent; "" without an address, because visitors see no run ids."""
    return f", run {run_id}" if address else ""


def padded(values: Iterable[float | None], share: float = 0.08) -> tuple[float, float]:
    """Return bounds around the values with a margin, `share` of their range; (0, 1) without values."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return (0.0, 1.0)
    low, high = min(numbers), max(numbers)
    air = (high - low) * share or abs(high) * share or 1.0
    return (low - air, high + air)
