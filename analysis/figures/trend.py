"""Scores by release date of the model, with a fitted line for own runs and for the paper's means."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

import numpy as np

from analysis.figures.printed import published_dots
from analysis.trends.selectors import ColumnTrends
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import GAP, Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.lines.regression import ModelScores, Trend

NOTHING = "No run of a model with a release date has finished, and the paper's rows are left out."
HEIGHT, COLUMNS, WIDE = 210, 3, 1200
"""Height of a panel, panels beside each other, and width into which the legend must fit on a large screen."""
FRAME = theme.MARGIN["t"] + theme.MARGIN["b"] + 8
"""Pixels above and below the panels, with the padding of the chart."""
LOWEST, EDGE = -20.0, "triangle-down"
"""The least score on the axis. Lower ones are triangles at the edge, so that one of them does not flatten the panels."""
BELOW = f"▼ below {LOWEST:.0f}".replace("-", "−")


def trend_figure(
    trends: Sequence[ColumnTrends], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A panel for each column. link: returns the address of a run by its id"""
    models = [model for trend in trends for model in (*trend.own, *trend.paper)]
    if not models:
        return theme.empty_figure(NOTHING)
    days = theme.padded([milliseconds(model.released) for model in models], 0.04)
    low = max(LOWEST, min(0.0, *(float(model.scores.min()) for model in models)))
    first = first_columns(trends)
    step = -(-sum(len(model.scores) for model in models) // theme.MOST_DOTS)
    tiles = [
        Tile(
            title=_title(trend),
            x_title="release date of the model",
            traces=[
                *_line(trend.paper_trend, theme.FAINT),
                *_line(trend.own_trend, theme.ACCENT),
                _paper(trend.paper),
                *chain(*(_own_runs(model, step, styles, link, first[model.agent_id] is trend) for model in trend.own)),
            ],
            x={"type": "date", "range": list(days), "nticks": 4},
            y={"range": [low - 4, 104], "nticks": 6},
        )
        for trend in trends
    ]
    figure = grid_figure(
        tiles,
        columns=COLUMNS,
        height=HEIGHT,
        description=(
            f"Scores by release date of {counted(len({model.model for model in models}), 'model,models')} in "
            f"{counted(len(tiles), 'panel,panels')}. The table below has the slopes."
        ),
        select="url",
    )
    return theme.with_legend_room(figure, WIDE)


def chart_heights(trends: Sequence[ColumnTrends]) -> tuple[int, int]:
    """Pixels of the chart, which a wide page and a phone keep free until it is drawn."""
    names = [{"name": name} for name in dict.fromkeys(model.name for trend in trends for model in trend.own)]
    rows = [math.ceil(len(trends) / columns) for columns in (COLUMNS, 1)]
    wide, narrow = (
        count * HEIGHT + (count - 1) * GAP + FRAME + theme.LEGEND_ROW * theme.further_rows(names, width)
        for count, width in zip(rows, (WIDE, theme.LEGEND_WIDTH), strict=True)
    )
    return wide, narrow


def first_columns(trends: Sequence[ColumnTrends]) -> dict[int | None, ColumnTrends]:
    """The first panel of each agent, which names it in the legend."""
    return {model.agent_id: trend for trend in reversed(trends) for model in trend.own}


def _title(trend: ColumnTrends) -> str:
    """What a panel shows, and how many scores lie below its axis."""
    below = sum(int((model.scores < LOWEST).sum()) for model in (*trend.own, *trend.paper))
    title = f"{trend.column.title}, score in points"
    return f"{title}; {below} {BELOW}" if below else title


def milliseconds(day: date) -> float:
    """The day as milliseconds since 1970, the unit of Plotly's date axes."""
    return (day - date(1970, 1, 1)).days * 86_400_000.0


def _line(trend: Trend | str, colour: str) -> list[Trace]:
    if isinstance(trend, str):
        return []
    x, y = zip(*((milliseconds(day), trend.at(day)) for day in (trend.first, trend.last)), strict=True)
    return [
        theme.line(x, y, "", colour, showlegend=False, cliponaxis=True, hovertext=f"{trend.slope:+.1f} points a year")
    ]


def _paper(models: Sequence[ModelScores]) -> Trace:
    means = [float(model.scores[0]) for model in models]
    return published_dots(
        [milliseconds(model.released) for model in models],
        [max(mean, LOWEST) for mean in means],
        [
            f"{theme.plain(model.model, 60)}, published mean: {mean:.1f} points"
            for model, mean in zip(models, means, strict=True)
        ],
        [model.model for model in models],
    )


def _own_runs(
    model: ModelScores, step: int, styles: Mapping[int, AgentStyle], link: Callable[[int], str], in_legend: bool
) -> Iterator[Trace]:
    """A trace with every `step`-th of the model's runs, sorted by score, and one with those below the axis."""
    if model.agent_id is None or model.run_ids is None:
        return
    by_score = np.lexsort((model.run_ids, model.scores))[::step]
    runs = list(zip(model.run_ids[by_score].tolist(), model.scores[by_score].tolist(), strict=True))
    style = styles[model.agent_id]
    usual, low = ([run for run in runs if (run[1] < LOWEST) is below] for below in (False, True))
    yield _dots(model, usual, style, link) | {
        "name": theme.plain(model.name, 30), "showlegend": in_legend
    }  # fmt: skip
    if low:
        yield _dots(model, low, replace(style, symbol=EDGE), link)


def _dots(
    model: ModelScores, runs: Sequence[tuple[int, float]], style: AgentStyle, link: Callable[[int], str]
) -> Trace:
    """Dots of (run id, score) pairs that open the runs; those below the axis at its edge."""
    name, links = theme.plain(model.name, 60), [link(run_id) for run_id, _ in runs]
    return style.dots(
        [milliseconds(model.released)] * len(runs),
        [max(score, LOWEST) for _, score in runs], "", 0.8, showlegend=False,
        hovertext=[
            f"{name}{theme.run_suffix(run_id, address)}: {score:.1f} points"
            for address, (run_id, score) in zip(links, runs, strict=True)
        ],
        customdata=links,
    )  # fmt: skip
