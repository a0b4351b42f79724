"""Scores by release date of the model, with a fitted line for own runs and for the paper's means."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import numpy as np

from analysis.benchmark.filters import environment_title
from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.grid import Tile, grid_figure
from analysis.figures.theme import PlotlyFigure, Trace
from analysis.trends.selectors import ColumnTrends
from infrastructure.text.formats import counted
from stats.regression import ModelScores, Trend

NOTHING = "No run of a model with a release date has finished, and the paper's rows are left out."
HEIGHT = 210


def trend_figure(
    trends: Sequence[ColumnTrends], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A panel for each column. `link` gives the address of a run by its id."""
    shown = [one for found in trends for one in (*found.own, *found.paper)]
    if not shown:
        return theme.empty_figure(NOTHING)
    days = theme.padded([milliseconds(one.released) for one in shown], 0.04)
    low = min(0.0, *(float(one.scores.min()) for one in shown))
    step = -(-sum(len(one.scores) for one in shown) // theme.MOST_DOTS)
    tiles = [
        Tile(
            title=f"{environment_title(found.column.environment)} {found.column.difficulty}, score in points",
            x_title="release date of the model",
            traces=[
                *_line(found.paper_trend, theme.FAINT),
                *_line(found.own_trend, theme.ACCENT),
                _paper(found.paper),
                *_own(found.own, step, styles, link),
            ],
            x={"type": "date", "range": list(days), "nticks": 4},
            y={"range": [low - 4, 104], "nticks": 6},
        )
        for found in trends
    ]
    told = (
        f"Scores by release date of {counted(len({one.model for one in shown}), 'model,models')} in "
        f"{counted(len(tiles), 'panel,panels')}. The table below has the slopes."
    )
    return grid_figure(tiles, columns=3, height=HEIGHT, description=told, select="url")


def milliseconds(day: date) -> float:
    """Since 1970, as Plotly's date axes count."""
    return (day - date(1970, 1, 1)).days * 86_400_000.0


def _line(found: Trend | str, colour: str) -> list[Trace]:
    if isinstance(found, str):
        return []
    ends = (found.first, found.last)
    words = f"{found.slope:+.1f} points a year"
    return [
        theme.line(
            [milliseconds(day) for day in ends],
            [found.at(day) for day in ends],
            "",
            colour,
            showlegend=False,
            hovertext=words,
        )
    ]


def _paper(found: Sequence[ModelScores]) -> Trace:
    means = [(one, float(one.scores[0])) for one in found]
    return theme.dots(
        [milliseconds(one.released) for one in found],
        [mean for _, mean in means], "", theme.FAINT, symbol="diamond-open", size=7, showlegend=False,
        hovertext=[f"{theme.plain(one.model, 60)}, published mean: {mean:.1f} points" for one, mean in means],
        customdata=[""] * len(found),
    )  # fmt: skip


def _own(
    found: Sequence[ModelScores], step: int, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> list[Trace]:
    """Every `step`-th run of each model by score."""
    traces = []
    for one in found:
        if one.agent_id is None or one.run_ids is None:
            continue
        by_score = np.lexsort((one.run_ids, one.scores))[::step]
        scores, ids = one.scores[by_score].tolist(), one.run_ids[by_score].tolist()
        links, name = [link(run_id) for run_id in ids], theme.plain(one.name, 60)
        traces.append(
            styles[one.agent_id].dots(
                [milliseconds(one.released)] * len(ids),
                scores, "", 0.8, showlegend=False,
                hovertext=[
                    f"{name}{theme.numbered(run_id, address)}: {score:.1f} points"
                    for run_id, address, score in zip(ids, links, scores, strict=True)
                ],
                customdata=links,
            )
        )  # fmt: skip
    return traces
