"""Small panels side by side, each with its own axes; on a small screen one below the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.figures import theme
from analysis.figures.theme import PlotlyFigure, Trace

BETWEEN = 0.09
"""Share of the width between two panels."""
GAP = 78
"""Pixels between two rows, for the axis title above and the panel title below."""


@dataclass(frozen=True)
class Tile:
    """One panel. `title` names what its y axis shows, with the unit; `x_title` the same of its x axis."""

    title: str
    x_title: str
    traces: Sequence[Trace]
    x: dict[str, Any]
    y: dict[str, Any]


def grid_figure(
    tiles: Sequence[Tile], *, columns: int, height: int, description: str, left: int = theme.MARGIN["l"], **meta: Any
) -> PlotlyFigure:
    """Tiles of `height` pixels row by row. `left` is the room for tick labels in pixels, `meta` as of `theme.figure`."""
    columns = min(columns, len(tiles))
    data: list[Trace] = []
    axes: dict[str, Any] = {"hovermode": "closest", "hoverdistance": 14}
    for place, tile in enumerate(tiles):
        suffix = theme.suffix(place)
        data += theme.on_axes(tile.traces, place)
        title = theme.axis_title(theme.plain(tile.x_title), 4)
        axes[f"xaxis{suffix}"] = theme.x_axis(anchor=f"y{suffix}", title=title, **tile.x)
        axes[f"yaxis{suffix}"] = theme.y_axis(anchor=f"x{suffix}", **tile.y)
    wide, inner = _places(tiles, columns, height, left)
    narrow, tall = _places(tiles, 1, height, left)
    frame = theme.MARGIN["t"] + theme.MARGIN["b"]
    placed = axes | wide | {name: axes[name] | domain for name, domain in wide.items() if name in axes}
    figure = theme.figure(data, placed, description=description, height=inner + frame, band=False, **meta)
    figure["layout"]["margin"]["l"] = left
    small = figure["layout"]["meta"]["narrow"]
    small["margin"]["l"] = left - 6
    rows = small["height"] - inner - frame
    figure["layout"]["meta"]["narrow"] = small | narrow | {"height": tall + frame + rows}
    return figure


def _places(tiles: Sequence[Tile], columns: int, height: int, left_room: int) -> tuple[dict[str, Any], int]:
    """The domains and titles of the tiles, and the height of all rows in pixels."""
    rows = math.ceil(len(tiles) / columns)
    inner = rows * height + (rows - 1) * GAP
    width = (1 - BETWEEN * (columns - 1)) / columns
    layout: dict[str, Any] = {"annotations": []}
    for place, tile in enumerate(tiles):
        suffix = theme.suffix(place)
        row, column = divmod(place, columns)
        left, top = column * (width + BETWEEN), inner - row * (height + GAP)
        domain = [max((top - height) / inner, 0.0), top / inner]
        layout[f"xaxis{suffix}"] = {"domain": [left, min(left + width, 1.0)]}
        layout[f"yaxis{suffix}"] = {"domain": domain}
        shift = 0 if left else 18 - left_room
        layout["annotations"].append(theme.annotation(tile.title, left, domain[1], xshift=shift, yshift=5))
    return layout, inner
