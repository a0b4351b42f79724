"""Scores by release date of the model, with a fitted line for own runs and for the paper's means."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from analysis.benchmark.filters import environment_title
from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.grid import Tile, grid_figure
from analysis.figures.theme import PlotlyFigure, Trace
from analysis.trends.selectors import ColumnTrends
from infrastructure.text.formats import counted
from stats.regression import Observation, Trend

NOTHING = "No run of a model with a release date has finished, and the paper's rows are left out."
HEIGHT = 210


def trend_figure(
    trends: Sequence[ColumnTrends], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A panel for each column. `link` gives the address of a run by its id."""
    seen = [observation for found in trends for observation in (*found.own, *found.paper)]
    if not seen:
        return theme.empty_figure(NOTHING)
    days = theme.padded([milliseconds(observation.released) for observation in seen], 0.04)
    low = min(0.0, *(observation.score for observation in seen))
    step = -(-len(seen) // theme.MOST_DOTS)
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
        f"Scores by release date of {counted(len({observation.model for observation in seen}), 'model,models')} in "
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


def _paper(found: Sequence[Observation]) -> Trace:
    return theme.dots(
        [milliseconds(seen.released) for seen in found],
        [seen.score for seen in found], "", theme.FAINT, symbol="diamond-open", size=7, showlegend=False,
        hovertext=[f"{theme.plain(seen.model, 60)}, published mean: {seen.score:.1f} points" for seen in found],
        customdata=[""] * len(found),
    )  # fmt: skip


def _words(seen: Observation, link: Callable[[int], str]) -> str:
    number = "" if seen.run_id is None else theme.numbered(seen.run_id, link(seen.run_id))
    return f"{theme.plain(seen.model, 60)}{number}: {seen.score:.1f} points"


def _own(
    found: Sequence[Observation], step: int, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> list[Trace]:
    """Every `step`-th run of each model by score."""
    traces = []
    for model_id in {seen.model_id: None for seen in found if seen.model_id is not None}:
        runs = sorted((seen for seen in found if seen.model_id == model_id), key=lambda seen: seen.score)[::step]
        traces.append(
            styles[model_id].dots(
                [milliseconds(seen.released) for seen in runs],
                [seen.score for seen in runs], "", 0.8, showlegend=False,
                hovertext=[_words(seen, link) for seen in runs],
                customdata=[link(seen.run_id) if seen.run_id else "" for seen in runs],
            )
        )  # fmt: skip
    return traces
