"""Scores by release date of the model, with a fitted line for own runs and for the paper's means."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np

from analysis.base.benchmark_filters import environment_title
from analysis.figures.printed import published_dots
from analysis.trends.selectors import ColumnTrends
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.lines.regression import ModelScores, Trend

NOTHING = "No run of a model with a release date has finished, and the paper's rows are left out."
HEIGHT = 210


def trend_figure(
    trends: Sequence[ColumnTrends], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A panel for each column. link: returns the address of a run by its id"""
    models = [model for trend in trends for model in (*trend.own, *trend.paper)]
    if not models:
        return theme.empty_figure(NOTHING)
    days = theme.padded([milliseconds(model.released) for model in models], 0.04)
    low = min(0.0, *(float(model.scores.min()) for model in models))
    step = -(-sum(len(model.scores) for model in models) // theme.MOST_DOTS)
    tiles = [
        Tile(
            title=f"{environment_title(trend.column.environment)} {trend.column.difficulty}, score in points",
            x_title="release date of the model",
            traces=[
                *_line(trend.paper_trend, theme.FAINT),
                *_line(trend.own_trend, theme.ACCENT),
                _paper(trend.paper),
                *(trace for model in trend.own for trace in _own_runs(model, step, styles, link)),
            ],
            x={"type": "date", "range": list(days), "nticks": 4},
            y={"range": [low - 4, 104], "nticks": 6},
        )
        for trend in trends
    ]
    return grid_figure(
        tiles,
        columns=3,
        height=HEIGHT,
        description=(
            f"Scores by release date of {counted(len({model.model for model in models}), 'model,models')} in "
            f"{counted(len(tiles), 'panel,panels')}. The table below has the slopes."
        ),
        select="url",
    )


def milliseconds(day: date) -> float:
    """The day as milliseconds since 1970, the unit of Plotly's date axes."""
    return (day - date(1970, 1, 1)).days * 86_400_000.0


def _line(trend: Trend | str, colour: str) -> list[Trace]:
    if isinstance(trend, str):
        return []
    x, y = zip(*((milliseconds(day), trend.at(day)) for day in (trend.first, trend.last)), strict=True)
    return [theme.line(x, y, "", colour, showlegend=False, hovertext=f"{trend.slope:+.1f} points a year")]


def _paper(models: Sequence[ModelScores]) -> Trace:
    means = [float(model.scores[0]) for model in models]
    return published_dots(
        [milliseconds(model.released) for model in models],
        means,
        [
            f"{theme.plain(model.model, 60)}, published mean: {mean:.1f} points"
            for model, mean in zip(models, means, strict=True)
        ],
        [model.model for model in models],
    )


def _own_runs(
    model: ModelScores, step: int, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> Iterator[Trace]:
    """A trace with every `step`-th of the model's runs, sorted by score."""
    if model.agent_id is not None and model.run_ids is not None:
        by_score = np.lexsort((model.run_ids, model.scores))[::step]
        scores, ids = model.scores[by_score].tolist(), model.run_ids[by_score].tolist()
        links, name = [link(run_id) for run_id in ids], theme.plain(model.name, 60)
        yield styles[model.agent_id].dots(
            [milliseconds(model.released)] * len(ids),
            scores, "", 0.8, showlegend=False,
            hovertext=[
                f"{name}{theme.run_suffix(run_id, address)}: {score:.1f} points"
                for run_id, address, score in zip(ids, links, scores, strict=True)
            ],
            customdata=links,
        )  # fmt: skip
