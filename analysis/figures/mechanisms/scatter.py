"""A metric of the runs against their score, or against the release date, with a dot for each agent.

Paper, figures 7, 8, 9 and 17. Reasoning models are stars, baselines hollow, published means open diamonds.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.grid import Tile, grid_figure
from analysis.figures.mechanisms.registry import Metric
from analysis.figures.theme import PlotlyFigure, Trace
from analysis.figures.trend import milliseconds
from analysis.mechanisms.means import YEAR, Means, on, release_fit, released_models, score_fit
from infrastructure.text.formats import counted, p_words
from stats.fits import Fit

NOTHING = "No finished run has this metric."
NO_MODELS = "No reasoning model with a release date has a finished run with this metric."
HEIGHT, WIDE = 230, 900
"""Pixels of a panel's height, and of the width in which the legend has to fit on a large screen."""
STAR = {"circle": "star", "square": "star-square", "diamond": "star-diamond"}

Styles = Mapping[int, AgentStyle]
MeansLink = Callable[[Means], str]
"""The address of an agent's runs on a difficulty."""


def score_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """A panel for each difficulty with values: the score over the metric, and the line through their models."""
    own = {name: on(means, name, metric) for name in difficulties}
    paper = {name: on(means, name, metric, published=True) for name in difficulties}
    seen = [one for found in (own, paper) for part in found.values() for one in part]
    if not seen:
        return theme.empty_figure(NOTHING)
    x = _span([one.measured[metric.key].percent for one in seen])
    y = _span([*(one.score or 0.0 for one in seen), 0.0, 100.0])
    shown: set[int] = set()
    tiles = [
        Tile(
            title=f"{name}, score in points{_fit_words(score_fit(means, name, metric))}",
            x_title=f"{metric.title.lower()}, {metric.unit}",
            traces=[
                *_line(score_fit(means, name, metric), lambda value: value),
                _paper(paper[name], metric, [_percent(one, metric) for one in paper[name]], _points(paper[name])),
                *_agents(own[name], metric, [_percent(one, metric) for one in own[name]], _points(own[name]),
                         styles, link, shown),
            ],
            x={"range": x, "nticks": 6},
            y={"range": y, "nticks": 6},
        )
        for name in difficulties
        if own[name] or paper[name]
    ]  # fmt: skip
    return _figure(tiles, f"{metric.title} and score of {_count(seen)}", columns=3)


def release_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """A panel for each difficulty with values: the metric of reasoning models over their release date."""
    own = {name: released_models(means, name, metric) for name in difficulties}
    paper = {name: released_models(means, name, metric, published=True) for name in difficulties}
    seen = [one for found in (own, paper) for part in found.values() for one in part]
    if not seen:
        return theme.empty_figure(NO_MODELS)
    days = theme.padded([_day(one) for one in seen], 0.06)
    if len({one.released for one in seen}) == 1:
        days = (days[0] - 3e9, days[1] + 3e9)
    y = _span([_percent(one, metric) for one in seen])
    shown: set[int] = set()
    tiles = [
        Tile(
            title=f"{name}, {metric.title.lower()} in {metric.unit}{_fit_words(release_fit(means, name, metric))}",
            x_title="release date of the model",
            traces=[
                *_line(release_fit(means, name, metric), _milliseconds_of_year),
                _paper(paper[name], metric, [_day(one) for one in paper[name]],
                       [_percent(one, metric) for one in paper[name]]),
                *_agents(own[name], metric, [_day(one) for one in own[name]],
                         [_percent(one, metric) for one in own[name]], styles, link, shown),
            ],
            x={"type": "date", "range": list(days), "nticks": 4},
            y={"range": y, "nticks": 6},
        )
        for name in difficulties
        if own[name] or paper[name]
    ]  # fmt: skip
    return _figure(tiles, f"{metric.title} by release date of {_count(seen)}", columns=3)


def _figure(tiles: Sequence[Tile], told: str, columns: int) -> PlotlyFigure:
    told = f"{told}, in {counted(len(tiles), 'panel,panels')}. The table below has the numbers."
    drawn = grid_figure(tiles, columns=columns, height=HEIGHT, description=told, select="url")
    return theme.with_legend_room(drawn, WIDE)


def _count(seen: Sequence[Means]) -> str:
    return counted(len({(one.agent_id, one.name) for one in seen}), "agent,agents")


def _span(values: Sequence[float]) -> list[float]:
    return list(theme.padded(values, 0.07))


def _percent(one: Means, metric: Metric) -> float:
    return one.measured[metric.key].percent


def _points(found: Sequence[Means]) -> list[float]:
    return [one.score or 0.0 for one in found]


def _day(one: Means) -> float:
    return milliseconds(one.released or date(1970, 1, 1))


def _milliseconds_of_year(year: float) -> float:
    return year * YEAR * 86_400_000


def _fit_words(found: Fit | str) -> str:
    return "; no line" if isinstance(found, str) else f"; R² {found.r_squared:.2f}, {p_words(found.p)}"


def _line(found: Fit | str, place: Callable[[float], float]) -> list[Trace]:
    if isinstance(found, str):
        return []
    ends = (found.low, found.high)
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return [theme.line([place(x) for x in ends], [found.at(x) for x in ends], "", theme.FAINT, **quiet)]


def _paper(found: Sequence[Means], metric: Metric, x: Sequence[float], y: Sequence[float]) -> Trace:
    return theme.dots(
        x, y, "", theme.FAINT, symbol="diamond-open", size=7, showlegend=False,
        hovertext=[f"{_words(one, metric)}<br>published" for one in found], customdata=[""] * len(found),
    )  # fmt: skip


def _agents(
    found: Sequence[Means],
    metric: Metric,
    x: Sequence[float],
    y: Sequence[float],
    styles: Styles,
    link: MeansLink,
    shown: set[int],
) -> list[Trace]:
    """A trace for each agent. `shown` are those in the legend, to which new ones are added."""
    traces = []
    for one, across, up in zip(found, x, y, strict=True):
        agent = one.agent_id or 0
        style = styles[agent]
        if one.reasoning:
            style = AgentStyle(style.colour, STAR.get(style.symbol, style.symbol))
        trace = style.dots(
            [across], [up], theme.plain(one.name, 30), 1, showlegend=agent not in shown, legendgroup=str(agent),
            hovertext=[_words(one, metric)], customdata=[link(one)],
        )  # fmt: skip
        trace["marker"]["size"] = 12 if one.reasoning else 9
        traces.append(trace)
        shown.add(agent)
    return traces


def _words(one: Means, metric: Metric) -> str:
    measured = one.measured[metric.key]
    kind = ", reasoning model" if one.reasoning else ""
    rests = one.rests_on(metric)
    released = f"<br>released {one.released:%Y-%m-%d}" if one.released else ""
    return (
        f"{theme.plain(one.name, 60)}{kind}, {one.difficulty}<br>"
        f"{metric.title.lower()} {measured.percent:.1f} {metric.unit}{f', in {rests}' if rests else ''}<br>"
        f"score {one.score or 0.0:.1f} points, {counted(one.runs, 'run,runs')}{released}"
    )
