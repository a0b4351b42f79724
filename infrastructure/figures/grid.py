"""Figures of small panels side by side, each with its own axes. On a small screen they stand one below the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure, Trace

BETWEEN = 0.09
"""Gap between two panels, as a share of the width."""
LEAST_COLUMN, TITLE_LETTER, TITLE_AIR = 320, 5.6, 16
"""Pixels: the least width of a column, the width of a letter of its title, and the space beside the title. In narrower
columns the panels stand one below the other."""
MIDDLE = 560
"""The smallest width in pixels for which the legend is drawn as on a wide screen."""
GAP = 78
"""Pixels between two rows, for the axis title above and the panel title below."""


@dataclass(frozen=True)
class Tile:
    """One panel. `title` and `x_title` say what its y and x axis show, with units; `x` and `y` are options of the axes."""

    title: str
    x_title: str
    traces: Sequence[Trace]
    x: dict[str, Any]
    y: dict[str, Any]


def grid_figure(
    tiles: Sequence[Tile],
    *,
    columns: int,
    height: int,
    description: str,
    left: int = theme.MARGIN["l"],
    narrow_left: int = 0,
    **meta: Any,
) -> PlotlyFigure:
    """Build a figure of tiles, row by row.

    height: pixels of a tile
    left: pixels for tick labels on the left
    narrow_left: the same on a small screen, if the labels differ there
    meta: see `theme.figure`
    """
    columns = min(columns, len(tiles))
    data: list[Trace] = []
    axes: dict[str, Any] = {"hovermode": "closest", "hoverdistance": 14}
    for index, tile in enumerate(tiles):
        suffix = theme.suffix(index)
        data += theme.on_axes(tile.traces, index)
        title = theme.axis_title(theme.plain(tile.x_title), 4)
        axes[f"xaxis{suffix}"] = theme.x_axis(anchor=f"y{suffix}", title=title, **tile.x)
        axes[f"yaxis{suffix}"] = theme.y_axis(anchor=f"x{suffix}", **tile.y)
    wide, inner = _tile_layout(tiles, columns, height, left)
    narrow, tall = _tile_layout(tiles, 1, height, narrow_left or left)
    layout = axes | wide | {name: axes[name] | domain for name, domain in wide.items() if name in axes}
    frame = theme.MARGIN["t"] + theme.MARGIN["b"]
    figure = theme.figure(data, layout, description=description, height=inner + frame, left=left, band=False, **meta)
    small = figure["layout"]["meta"]["narrow"]
    small["margin"]["l"] = (narrow_left or left) - 6
    small |= narrow | {"height": tall + small["height"] - inner}
    if columns > 1:
        figure["layout"]["meta"]["middle"] = _middle(tiles, columns, data, height, left)
    return figure


def _middle(tiles: Sequence[Tile], columns: int, data: Sequence[Trace], height: int, left: int) -> dict[str, Any]:
    """Return the layout for paper and tablets: one panel below the other, with the legend of a wide screen."""
    below = round(columns * max(LEAST_COLUMN, TITLE_AIR + TITLE_LETTER * max(len(tile.title) for tile in tiles)))
    layout, inner = _tile_layout(tiles, 1, height, left)
    top = theme.MARGIN["t"] + theme.LEGEND_ROW * theme.further_rows([trace for trace in data if trace["x"]], MIDDLE)
    return layout | {"below": below, "margin": {"t": top}, "height": inner + top + theme.MARGIN["b"]}


def _tile_layout(tiles: Sequence[Tile], columns: int, height: int, left_room: int) -> tuple[dict[str, Any], int]:
    """Return a layout with the domains and titles of the tiles, and the height of all rows in pixels."""
    rows = math.ceil(len(tiles) / columns)
    inner = rows * height + (rows - 1) * GAP
    width = (1 - BETWEEN * (columns - 1)) / columns
    layout: dict[str, Any] = {"annotations": []}
    for index, tile in enumerate(tiles):
        suffix = theme.suffix(index)
        row, column = divmod(index, columns)
        left, top = column * (width + BETWEEN), inner - row * (height + GAP)
        domain = [max((top - height) / inner, 0.0), top / inner]
        layout[f"xaxis{suffix}"] = {"domain": [left, min(left + width, 1.0)]}
        layout[f"yaxis{suffix}"] = {"domain": domain}
        layout["annotations"].append(
            theme.annotation(tile.title, left, domain[1], xshift=0 if left else 18 - left_room, yshift=5)
        )
    return layout, inner
