"""Scatter plots of a metric against score or release date, with a dot for each agent (paper, figures 7, 8, 9 and 17).

Also litmus scores of single runs by agent (figure 14). Reasoning models have a dark ring, published models hollow marks.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from analysis.base.table import RunRecord, grouped
from analysis.behaviour.means import YEAR, Means, release_fit, released_models, score_fit, with_metric
from analysis.figures.dots import QUIET
from analysis.figures.printed import published_dots
from analysis.figures.trend import milliseconds
from analysis.litmus.scores import litmus_test_of
from environments.registry import ENVIRONMENTS
from games.parts import Metric
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, p_text
from stats.lines.fits import Fit
from stats.summaries import mean

NOTHING = "No finished run has this metric."
NO_MODELS = "No reasoning model with a release date has a finished run with this metric."
HEIGHT, WIDE = 230, 900
"""Height of a panel, and width into which the legend must fit on a large screen, in pixels."""
RING = {"color": theme.INK, "width": 1.75}
"""Around the mark of a reasoning model."""

Styles = Mapping[int, AgentStyle]
MeansLink = Callable[[Means], str]
"""The address of an agent's runs on a difficulty."""
Point = tuple[float, float]
Axis = dict[str, Any]


def score_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """The score over the metric: a panel for each difficulty with values, each with a line through its models."""
    return _figure(
        means, metric, difficulties, styles, link, with_metric, score_fit,
        point=lambda agent: (_percent(agent, metric), agent.score or 0.0),
        axes=lambda x, y: ({"range": _span(x), "nticks": 6}, {"range": _span([*y, 0.0, 100.0]), "nticks": 6}),
        titles=("score in points", f"{metric.title.lower()}, {metric.unit}"),
        begins=f"{metric.title} and score of",
        nothing=NOTHING,
    )  # fmt: skip


def release_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """The metric of reasoning models over their release date: a panel for each difficulty with values."""
    return _figure(
        means, metric, difficulties, styles, link, released_models, release_fit,
        point=lambda agent: (milliseconds(agent.released or date(1970, 1, 1)), _percent(agent, metric)),
        axes=lambda x, y: ({"type": "date", "range": _days(x), "nticks": 4}, {"range": _span(y), "nticks": 6}),
        titles=(f"{metric.title.lower()} in {metric.unit}", "release date of the model"),
        begins=f"{metric.title} by release date of",
        nothing=NO_MODELS,
        to_axis=lambda year: year * YEAR * 86_400_000,
    )  # fmt: skip


def _figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink,
    chosen: Callable[..., list[Means]], fit: Callable[[Sequence[Means], str, Metric], Fit | str], *,
    point: Callable[[Means], Point], axes: Callable[[Sequence[float], Sequence[float]], tuple[Axis, Axis]],
    titles: tuple[str, str], begins: str, nothing: str, to_axis: Callable[[float], float] = float,
) -> PlotlyFigure:  # fmt: skip
    """A panel for each difficulty with agents.

    chosen: the agents of a difficulty, own or published ones; fit: the line through them
    point: coordinates of an agent's dot; axes: options of the axes, from all coordinates
    titles: of the y axis and of the x axis; begins: the description up to the number of agents
    nothing: the sentence without agents; to_axis: turns an x value of the fit into one of the axis
    """
    own = {name: chosen(means, name, metric) for name in difficulties}
    paper = {name: chosen(means, name, metric, published=True) for name in difficulties}
    agents = [agent for group in (own, paper) for part in group.values() for agent in part]
    if not agents:
        return theme.empty_figure(nothing)
    x, y = axes(*zip(*map(point, agents), strict=True))
    # The legend has each agent once, with its first panel.
    first_panels = {agent.agent_id: name for name in reversed(difficulties) for agent in own[name]}
    tiles = [
        Tile(
            title=f"{name}, {titles[0]}{_fit_text(line)}",
            x_title=titles[1],
            traces=[
                *_line(line, to_axis),
                _paper(paper[name], metric, point),
                *(_dot(agent, metric, point, styles, link, first_panels[agent.agent_id] == name) for agent in own[name]),
            ],
            x=x, y=y,
        )
        for name in difficulties
        if own[name] or paper[name]
        for line in [fit(means, name, metric)]
    ]  # fmt: skip
    counts = counted(len({(agent.agent_id, agent.name) for agent in agents}), "agent,agents")
    description = f"{begins} {counts}, in {counted(len(tiles), 'panel,panels')}. The table below has the numbers."
    figure = grid_figure(tiles, columns=3, height=HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, WIDE)


def _span(values: Sequence[float]) -> list[float]:
    return list(theme.padded(values, 0.07))


def _days(days: Sequence[float]) -> list[float]:
    low, high = theme.padded(days, 0.06)
    air = 3e9 if len(set(days)) == 1 else 0.0
    return [low - air, high + air]


def _percent(agent: Means, metric: Metric) -> float:
    return agent.measured[metric.key].percent


def _fit_text(fit: Fit | str) -> str:
    return "; no line" if isinstance(fit, str) else f"; R² {fit.r_squared:.2f}, {p_text(fit.p)}"


def _line(fit: Fit | str, to_axis: Callable[[float], float]) -> list[Trace]:
    if isinstance(fit, str):
        return []
    ends = (fit.low, fit.high)
    return [theme.line([to_axis(x) for x in ends], [fit.at(x) for x in ends], "", theme.FAINT, **QUIET)]


def _paper(agents: Sequence[Means], metric: Metric, point: Callable[[Means], Point]) -> Trace:
    points = [point(agent) for agent in agents]
    texts = [f"{_hover_text(agent, metric)}<br>published" for agent in agents]
    return published_dots([x for x, _ in points], [y for _, y in points], texts, [agent.name for agent in agents])


def _dot(
    agent: Means, metric: Metric, point: Callable[[Means], Point], styles: Styles, link: MeansLink, in_legend: bool
) -> Trace:
    x, y = point(agent)
    style = styles[agent.agent_id or 0]
    trace = style.dots(
        [x], [y], theme.plain(agent.name, 30), 1, showlegend=in_legend, legendgroup=str(agent.agent_id),
        hovertext=[_hover_text(agent, metric)], customdata=[link(agent)],
    )  # fmt: skip
    return trace | {"marker": trace["marker"] | ({"size": 11, "line": RING} if agent.reasoning else {"size": 9})}


def _hover_text(agent: Means, metric: Metric) -> str:
    rests = agent.rests_on(metric)
    released = f"<br>released {agent.released:%Y-%m-%d}" if agent.released else ""
    return (
        f"{theme.plain(agent.name, 60)}{', reasoning model' if agent.reasoning else ''}, {agent.difficulty}<br>"
        f"{metric.title.lower()} {agent.measured[metric.key].percent:.1f} {metric.unit}"
        f"{f', in {rests}' if rests else ''}<br>"
        f"score {agent.score or 0.0:.1f} points, {counted(agent.runs, 'run,runs')}{released}"
    )


NO_RUNS = "No run of this litmus test has finished yet."
ROW, LEAST = 34, 3
LONGEST = 18


def litmus_strip(records: Sequence[RunRecord], styles: Styles, link: Callable[[int], str]) -> PlotlyFigure:
    """Litmus scores: a panel for each test, a row for each agent by mean, a dot for each finished run.

    A bar marks the mean.
    """
    if not records:
        return theme.empty_figure(NO_RUNS)
    by_test = grouped(sorted(records, key=_score), lambda run: run.environment, lambda run: run.agent_id)
    tiles = [
        _strip_tile(test, list(by_test[test].values()), styles, link)
        for test in dict.fromkeys(run.environment for run in records)
    ]
    rows = max(LEAST, *(len(tile.y["ticktext"]) for tile in tiles))
    longest = max(len(name) for tile in tiles for name in tile.y["ticktext"])
    return grid_figure(
        tiles,
        columns=1,
        height=rows * ROW,
        description=f"Litmus scores of {counted(len(records), 'finished run,finished runs')} by agent.",
        left=22 + round(6.3 * longest),
        select="url",
    )


def _score(run: RunRecord) -> float:
    return run.score or 0.0


def _strip_tile(test: str, by_agent: Sequence[Sequence[RunRecord]], styles: Styles, link: Callable[[int], str]) -> Tile:
    """A panel of a test. by_agent: the runs of each agent, ascending by score"""
    order = sorted(by_agent, key=lambda runs: -sum(map(_score, runs)) / len(runs))
    traces: list[Trace] = []
    for row, runs in enumerate(order):
        scores = list(map(_score, runs))
        traces += [
            theme.mean_bar(mean(scores) or 0.0, row),
            styles[runs[0].agent_id].dots(
                scores, [row + offset for offset in offsets([100 * score for score in scores])], "", 0.75,
                showlegend=False,
                hovertext=[f"{theme.plain(run.agent_name, 60)}, seed {run.seed}: {run.score:.2f}" for run in runs],
                customdata=[link(run.run_id) for run in runs],
            ),
        ]  # fmt: skip
    return Tile(
        title=f"{ENVIRONMENTS[test].title}, bars are means",
        x_title=f"litmus score, {litmus_test_of(test).scale}",
        traces=traces,
        x={
            "range": list(theme.padded([0.0, 1.0, *(_score(run) for runs in order for run in runs)], 0.04)),
            "nticks": 6,
        },
        y={
            "range": [max(LEAST, len(order)) - 0.5, -0.5],
            "tickvals": list(range(len(order))),
            "ticktext": [theme.plain(runs[0].agent_name, LONGEST) for runs in order],
            "tickfont": {"size": 11.5, "color": theme.INK},
        },
    )
