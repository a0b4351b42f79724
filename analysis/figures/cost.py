"""Scores against costs on a logarithmic axis, free agents beside it, with the frontier and the efforts of each model."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.cost.frontier import CostBoard, CostRow
from analysis.cost.panel import HEIGHT, SMALL_HEIGHT
from infrastructure.figures import theme
from infrastructure.figures.colours import HOLLOW, AgentStyle
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

NOTHING = "No finished run of an agent with a known cost fits the filters."
FREE_SHARE = 0.09
"""The part of the width that free agents take."""
TICKS = (1, 2, 5)


def cost_figure(board: CostBoard, styles: Mapping[int, AgentStyle], highlighted: int | None = None) -> PlotlyFigure:
    """A dot for each agent. highlighted: the id of the agent of a small figure, in which the others are grey"""
    rows = [row for row in board.rows if row.cost is not None]
    if not rows:
        return theme.empty_figure(NOTHING)
    free, paid = [row for row in rows if not row.cost], [row for row in rows if row.cost]
    ends = [end for row in rows for end in (row.score, *(row.score_interval or ()))]
    data = [
        *theme.on_axes([*_steps(board, paid), *_efforts(board, styles), *_dots(paid, styles, highlighted)], 0),
        *(trace | {"xaxis": "x2", "yaxis": "y"} for trace in _dots(free, styles, highlighted)),
    ]
    title = theme.annotation("mean score, points of 100", 0, 1, xshift=-40, yshift=6)
    costs = _cost_axis(paid, TICKS)
    layout: dict[str, Any] = {
        "hovermode": "closest",
        "xaxis": costs | {"domain": [FREE_SHARE + 0.02 if free and paid else 0.0, 1.0], "visible": bool(paid)},
        "yaxis": theme.y_axis(range=list(theme.padded([0.0, 100.0, *ends], 0.04))) | {"anchor": "x2" if free else "x"},
        "annotations": [title, *_labels(board, rows, highlighted)],
    }
    if free:
        layout["xaxis2"] = theme.x_axis(
            domain=[0.0, FREE_SHARE if paid else 1.0], range=[-1, 1], tickvals=[0], ticktext=["free"], fixedrange=True
        ) | {"anchor": "y"}  # fmt: skip
    names = ", ".join(theme.plain(row.name, 40) for row in board.frontier[:12])
    narrow_axis = {name: _cost_axis(paid, (1,))[name] for name in ("tickvals", "ticktext")}
    return theme.figure(
        data,
        layout,
        description=(
            f"Mean score against mean cost of a run of {counted(len(rows), 'agent,agents')}, with 95 % intervals. On the "
            f"frontier: {names or 'none'}. The table has the numbers."
        ),
        height=HEIGHT if highlighted is None else SMALL_HEIGHT,
        narrow={"annotations": [title], "xaxis": narrow_axis, "margin": {"l": 40, "r": 8}},
    )


def _labels(board: CostBoard, rows: Sequence[CostRow], highlighted: int | None) -> list[dict[str, Any]]:
    """The names of the agents on the frontier, alternately above and below; in a small figure, of its agent."""
    named = board.frontier if highlighted is None else [row for row in rows if row.agent_id == highlighted]
    labels = []
    for index, row in enumerate(named):
        is_above = index % 2 == 0
        at = {"x": math.log10(row.cost), "xref": "x"} if row.cost else {"x": 0, "xref": "x2"}
        labels.append(
            theme.annotation(theme.plain(row.name, 24), 0, row.score, yref="y", yshift=5 if is_above else -5,
                             xanchor="right" if is_above else "left", yanchor="bottom" if is_above else "top")
            | at | {"font": {"size": 11, "color": theme.INK}}
        )  # fmt: skip
    return labels


def _cost_axis(paid: Sequence[CostRow], steps: Sequence[int]) -> dict[str, Any]:
    """steps: digits at which a decade has a tick, if the axis spans no more than three"""
    ends = [end for row in paid for end in (row.cost, *(row.cost_interval or ())) if end]
    low, high = theme.padded(map(math.log10, ends), 0.06)
    # Costs that are alike would leave an axis without a tick.
    if high - low < 0.6:
        low, high = (low + high) / 2 - 0.3, (low + high) / 2 + 0.3
    decades = range(math.floor(low), math.ceil(high) + 1)
    digits = steps if 1.2 < high - low < 3 else TICKS if high - low < 3 else (1,)
    ticks = [step * 10.0**decade for decade in decades for step in digits]
    ticks = [tick for tick in ticks if low <= math.log10(tick) <= high]
    return theme.x_axis(
        type="log", range=[low, high], tickvals=ticks, ticktext=[f"${tick:,.10g}" for tick in ticks],
        title=theme.axis_title("mean cost of a run, $, logarithmic", 8), showgrid=True, gridcolor=theme.LINE,
    )  # fmt: skip


def _steps(board: CostBoard, paid: Sequence[CostRow]) -> list[Trace]:
    """The frontier among paid agents: the highest score that is bought for at most a cost."""
    corners = [(row.cost, row.score) for row in board.frontier if row.cost]
    if not corners:
        return []
    dearest = max(end for row in paid for end in (row.cost or 0.0, *(row.cost_interval or ())))
    x, y = zip(*corners, (dearest, corners[-1][1]), strict=True)
    return [
        theme.line(
            x, y, "frontier", theme.SOFT, line={"color": theme.SOFT, "width": 1.5, "shape": "hv", "dash": "4px,3px"},
            hoverinfo="skip", showlegend=False,
        )
    ]  # fmt: skip


def _efforts(board: CostBoard, styles: Mapping[int, AgentStyle]) -> list[Trace]:
    """A line through the efforts of each model, in the colour of its cheapest agent."""
    quiet: dict[str, Any] = {"hoverinfo": "skip", "showlegend": False, "opacity": 0.6}
    return [
        theme.line(
            [row.cost for row in paid], [row.score for row in paid], "", styles[paid[0].agent_id].colour, **quiet
        )
        for rows in board.efforts
        if len(paid := [row for row in rows if row.cost]) > 1
    ]


def _dots(rows: Sequence[CostRow], styles: Mapping[int, AgentStyle], highlighted: int | None) -> list[Trace]:
    traces = []
    for row in rows:
        style, x = styles[row.agent_id], row.cost or 0.0
        if highlighted not in (None, row.agent_id):
            style = replace(style, colour=theme.FAINT)
        if not row.is_complete:
            style = replace(style, symbol=style.symbol.removesuffix(HOLLOW) + HOLLOW)
        bars = [
            *((end, row.score) for end in row.cost_interval or ()), (None, None),
            *((x, end) for end in row.score_interval or ()),
        ]  # fmt: skip
        quiet: dict[str, Any] = {"hoverinfo": "skip", "showlegend": False, "opacity": 0.45}
        width = {"color": style.colour, "width": 1.25}
        traces.append(theme.line([at for at, _ in bars], [at for _, at in bars], "", style.colour, line=width, **quiet))
        traces.append(style.dots([x], [row.score], "", 1, showlegend=False, hovertext=[_hover_text(row)]))
    return traces


def _hover_text(row: CostRow) -> str:
    score, cost = f"{row.score:.1f} points", "free" if not row.cost else f"${row.cost:,.4g} a run"
    if row.score_interval:
        score += " (95 % interval {:.1f} to {:.1f})".format(*row.score_interval)
    if row.cost_interval:
        cost += " (95 % interval ${:,.4g} to ${:,.4g})".format(*row.cost_interval)
    effort = f", effort {row.effort}" if row.effort else ""
    partial = "" if row.is_complete else f", {counted(row.columns, 'column,columns')} only"
    return f"{theme.plain(row.name, 60)}{effort}: {score}, {cost}{partial}"
