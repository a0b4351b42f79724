"""How every figure looks: hairlines, quiet axes, the unit at the top left, dashed references, colour with a meaning."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

Figure = dict[str, Any]
Trace = dict[str, Any]

FONT = "token:sans"
INK, SOFT, FAINT, LINE, PANEL = "token:ink", "token:soft", "token:faint", "token:line", "token:panel"
ACCENT, GOOD, WARN, BAD = "token:accent", "token:good", "token:warn", "token:bad"
PALETTE = tuple(f"token:data-{number}" for number in range(1, 7))

MARGIN = {"l": 48, "r": 14, "t": 46, "b": 40}
LEGEND_ROW, LEGEND_WIDTH, LEGEND_ITEM, LETTER = 19, 300, 46, 6.2
"""Pixels, for guessing how many rows a legend takes on a small screen."""


def figure(data: Sequence[Trace], layout: dict[str, Any], *, description: str, height: int, **meta: Any) -> Figure:
    """A finished figure. `description` is read to those who do not see it; `height` is in pixels.

    `meta` is for the page's script: `select` says what a click means, `narrow` patches the layout on a small screen.
    """
    base = {
        "font": {"family": FONT, "size": 11.5, "color": SOFT},
        "paper_bgcolor": PANEL,
        "plot_bgcolor": PANEL,
        "margin": dict(MARGIN),
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
    meta = {"description": description, "height": height, "narrow": _for_narrow(data, height), **meta}
    return {"data": list(data), "layout": base | layout | {"meta": meta}}


def with_legend_room(figure: Figure, width: int) -> Figure:
    """Room above the plot for a legend that takes several rows in a panel of `width` pixels."""
    names = [trace["name"] for trace in figure["data"] if trace.get("name") and trace.get("showlegend", True)]
    if not names:
        return figure
    widths = [LEGEND_ITEM + LETTER * len(name) for name in names]
    a_row = len(names) if sum(widths) <= width else max(1, int(width / max(widths)))
    more = LEGEND_ROW * (math.ceil(len(names) / a_row) - 1)
    figure["layout"]["margin"] = figure["layout"]["margin"] | {"t": MARGIN["t"] + more}
    figure["layout"]["meta"]["height"] += more
    return figure


def _for_narrow(data: Sequence[Trace], height: int) -> dict[str, Any]:
    """On a small screen the legend starts at the left and gets as many rows as it needs."""
    shown = [trace for trace in data if trace.get("name") and trace.get("showlegend", True) and trace["x"]]
    names = [trace["name"] for trace in shown]
    widths = [LEGEND_ITEM + LETTER * len(name) for name in names]
    # Plotly sets wrapped entries in columns as wide as the widest.
    a_row = len(names) if sum(widths) <= LEGEND_WIDTH else max(1, int(LEGEND_WIDTH / max(widths)))
    more = max(0, math.ceil(len(names) / max(a_row, 1)) - 1)
    return {
        "legend": {"x": 0, "xref": "container", "xanchor": "left"},
        "margin": {"l": 42, "r": 8, "t": MARGIN["t"] + LEGEND_ROW * more},
        "height": height + LEGEND_ROW * more,
    }


NARROW = 48
"""Characters of a line that fits the width of a telephone."""


def empty_figure(sentence: str, height: int = 200) -> Figure:
    """A figure that says in its middle why it shows nothing."""
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1]}
    note = annotation("", 0.5, 0.5, xanchor="center", yanchor="middle") | {"font": {"size": 13, "color": SOFT}}
    note["text"] = "<br>".join(plain(line) for line in textwrap.wrap(sentence, NARROW))
    layout = {"xaxis": hidden, "yaxis": dict(hidden), "annotations": [note], "hovermode": False}
    return figure([], layout, description=sentence, height=height)


def annotation(text: str, x: float, y: float, **options: Any) -> dict[str, Any]:
    """Small text placed by shares of the plotting area, unless options refer it to an axis."""
    base = {
        "text": plain(text),
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": FAINT},
    }
    return base | options


def x_axis(**options: Any) -> dict[str, Any]:
    base = {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 11, "color": FAINT},
    }
    return base | options


def y_axis(**options: Any) -> dict[str, Any]:
    """Horizontal hairlines; dragging zooms along x only."""
    base = {
        "showgrid": True,
        "gridcolor": LINE,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 11, "color": FAINT},
        "nticks": 6,
        "fixedrange": True,
    }
    return base | options


def line(x: Sequence[float], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    return _scatter(x, y, name, {"mode": "lines", "line": {"color": colour, "width": 1.75}}, options)


def step_line(x: Sequence[float], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    shape = {"color": colour, "width": 2, "shape": "hv"}
    return _scatter(x, y, name, {"mode": "lines", "line": shape}, options)


def dots(x: Sequence[float], y: Sequence[float | None], name: str, colour: str, **options: Any) -> Trace:
    size = options.pop("size", 6)
    symbol = options.pop("symbol", "circle")
    marker = {"color": colour, "size": size, "symbol": symbol, "line": {"width": 0}}
    if symbol.endswith("-thin") or symbol.startswith("line-"):
        marker["line"] = {"color": colour, "width": 1.5}
    return _scatter(x, y, name, {"mode": "markers", "marker": marker}, options)


def reference(x: Sequence[float], y: Sequence[float | None], name: str, **options: Any) -> Trace:
    """A value to compare with: dashed and faint."""
    dashed = {"color": FAINT, "width": 1.25, "dash": "4px,3px"}
    return _scatter(x, y, name, {"mode": "lines", "line": dashed}, {"hoverinfo": "skip"} | options)


def _scatter(
    x: Sequence[float], y: Sequence[float | None], name: str, style: dict[str, Any], options: dict[str, Any]
) -> Trace:
    trace = {
        "type": "scatter",
        "x": list(x),
        "y": list(y),
        "name": plain(name),
        "cliponaxis": False,
        "hoverinfo": "text",
    }
    return trace | style | options


def marked(trace: Trace) -> Trace:
    """Let the page's script draw the chosen period of this trace larger."""
    return trace | {"meta": {"mark": True}}


def off_scale(x: Sequence[float], y: Sequence[float | None], bounds: tuple[float, float], colour: str) -> list[Trace]:
    """Small triangles at the edge of a panel for values beyond it, so that nothing is lost without a sign."""
    low, high = bounds
    traces = []
    for edge, symbol, beyond in ((high, "triangle-up", lambda v: v > high), (low, "triangle-down", lambda v: v < low)):
        places = [period for period, value in zip(x, y, strict=True) if value is not None and beyond(value)]
        if places:
            traces.append(
                dots(places, [edge] * len(places), "", colour, symbol=symbol, showlegend=False, hoverinfo="skip")
            )
    return traces


def plain(text: object, limit: int = 120) -> str:
    """Text as Plotly shows it literally: no pseudo-HTML, no entities, not endless."""
    literal = " ".join(str(text).split()).replace("<", "‹").replace(">", "›").replace("&", "＆")
    return literal if len(literal) <= limit else literal[: limit - 1] + "…"


def padded(values: Iterable[float | None], share: float = 0.08) -> tuple[float, float]:
    """Lowest and highest value with some air; (0, 1) of nothing."""
    known = [value for value in values if value is not None]
    if not known:
        return (0.0, 1.0)
    low, high = min(known), max(known)
    air = (high - low) * share or abs(high) * share or 1.0
    return (low - air, high + air)
