"""Scatter plots of a metric against score or release date, with a dot for each agent (paper, figures 7, 8, 9 and 17).

Also litmus scores of single runs by agent (figure 14). Reasoning models are stars, baselines hollow, published means
open diamonds.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from analysis.base.table import RunRecord
from analysis.figures.trend import milliseconds
from analysis.litmus.scores import litmus_test_of
from analysis.mechanisms.means import YEAR, Means, release_fit, released_models, score_fit, with_metric
from environments.registry import ENVIRONMENTS
from games.parts import Metric
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, p_text
from stats.fits import Fit
from stats.summaries import mean

NOTHING = "No finished run has this metric."
NO_MODELS = "No reasoning model with a release date has a finished run with this metric."
HEIGHT, WIDE = 230, 900
"""Height of a panel, and width into which the legend must fit on a large screen, in pixels."""
STAR = {"circle": "star", "square": "star-square", "diamond": "star-diamond"}

Styles = Mapping[int, AgentStyle]
MeansLink = Callable[[Means], str]
"""The address of an agent's runs on a difficulty."""


def score_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """The score over the metric: a panel for each difficulty with values, each with a line through its models."""
    own = {name: with_metric(means, name, metric) for name in difficulties}
    paper = {name: with_metric(means, name, metric, published=True) for name in difficulties}
    agents = [agent for group in (own, paper) for part in group.values() for agent in part]
    if not agents:
        return theme.empty_figure(NOTHING)
    x = _span([agent.measured[metric.key].percent for agent in agents])
    y = _span([*(agent.score or 0.0 for agent in agents), 0.0, 100.0])
    legend_ids: set[int] = set()
    tiles = [
        Tile(
            title=f"{name}, score in points{_fit_text(score_fit(means, name, metric))}",
            x_title=f"{metric.title.lower()}, {metric.unit}",
            traces=[
                *_line(score_fit(means, name, metric), lambda value: value),
                _paper(paper[name], metric, [_percent(agent, metric) for agent in paper[name]], _points(paper[name])),
                *_agents(own[name], metric, [_percent(agent, metric) for agent in own[name]], _points(own[name]),
                         styles, link, legend_ids),
            ],
            x={"range": x, "nticks": 6},
            y={"range": y, "nticks": 6},
        )
        for name in difficulties
        if own[name] or paper[name]
    ]  # fmt: skip
    return _figure(tiles, f"{metric.title} and score of {_count(agents)}", columns=3)


def release_figure(
    means: Sequence[Means], metric: Metric, difficulties: Sequence[str], styles: Styles, link: MeansLink
) -> PlotlyFigure:
    """The metric of reasoning models over their release date: a panel for each difficulty with values."""
    own = {name: released_models(means, name, metric) for name in difficulties}
    paper = {name: released_models(means, name, metric, published=True) for name in difficulties}
    agents = [agent for group in (own, paper) for part in group.values() for agent in part]
    if not agents:
        return theme.empty_figure(NO_MODELS)
    days = theme.padded([_day(agent) for agent in agents], 0.06)
    if len({agent.released for agent in agents}) == 1:
        days = (days[0] - 3e9, days[1] + 3e9)
    y = _span([_percent(agent, metric) for agent in agents])
    legend_ids: set[int] = set()
    tiles = [
        Tile(
            title=f"{name}, {metric.title.lower()} in {metric.unit}{_fit_text(release_fit(means, name, metric))}",
            x_title="release date of the model",
            traces=[
                *_line(release_fit(means, name, metric), _milliseconds_of_year),
                _paper(paper[name], metric, [_day(agent) for agent in paper[name]],
                       [_percent(agent, metric) for agent in paper[name]]),
                *_agents(own[name], metric, [_day(agent) for agent in own[name]],
                         [_percent(agent, metric) for agent in own[name]], styles, link, legend_ids),
            ],
            x={"type": "date", "range": list(days), "nticks": 4},
            y={"range": y, "nticks": 6},
        )
        for name in difficulties
        if own[name] or paper[name]
    ]  # fmt: skip
    return _figure(tiles, f"{metric.title} by release date of {_count(agents)}", columns=3)


def _figure(tiles: Sequence[Tile], description: str, columns: int) -> PlotlyFigure:
    description = f"{description}, in {counted(len(tiles), 'panel,panels')}. The table below has the numbers."
    figure = grid_figure(tiles, columns=columns, height=HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, WIDE)


def _count(agents: Sequence[Means]) -> str:
    return counted(len({(agent.agent_id, agent.name) for agent in agents}), "agent,agents")


def _span(values: Sequence[float]) -> list[float]:
    return list(theme.padded(values, 0.07))


def _percent(agent: Means, metric: Metric) -> float:
    return agent.measured[metric.key].percent


def _points(agents: Sequence[Means]) -> list[float]:
    return [agent.score or 0.0 for agent in agents]


def _day(agent: Means) -> float:
    return milliseconds(agent.released or date(1970, 1, 1))


def _milliseconds_of_year(year: float) -> float:
    return year * YEAR * 86_400_000


def _fit_text(fit: Fit | str) -> str:
    return "; no line" if isinstance(fit, str) else f"; R² {fit.r_squared:.2f}, {p_text(fit.p)}"


def _line(fit: Fit | str, to_axis: Callable[[float], float]) -> list[Trace]:
    if isinstance(fit, str):
        return []
    ends = (fit.low, fit.high)
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return [theme.line([to_axis(x) for x in ends], [fit.at(x) for x in ends], "", theme.FAINT, **quiet)]


def _paper(agents: Sequence[Means], metric: Metric, x: Sequence[float], y: Sequence[float]) -> Trace:
    return theme.dots(
        x, y, "", theme.FAINT, symbol="diamond-open", size=7, showlegend=False,
        hovertext=[f"{_hover_text(agent, metric)}<br>published" for agent in agents], customdata=[""] * len(agents),
    )  # fmt: skip


def _agents(
    agents: Sequence[Means],
    metric: Metric,
    x: Sequence[float],
    y: Sequence[float],
    styles: Styles,
    link: MeansLink,
    legend_ids: set[int],
) -> list[Trace]:
    """A trace for each agent. legend_ids: agents in the legend already; new ones are added to this set"""
    traces = []
    for agent, across, up in zip(agents, x, y, strict=True):
        agent_id = agent.agent_id or 0
        style = styles[agent_id]
        if agent.reasoning:
            style = AgentStyle(style.colour, STAR.get(style.symbol, style.symbol))
        trace = style.dots(
            [across], [up], theme.plain(agent.name, 30), 1, showlegend=agent_id not in legend_ids, legendgroup=str(agent_id),
            hovertext=[_hover_text(agent, metric)], customdata=[link(agent)],
        )  # fmt: skip
        trace["marker"]["size"] = 12 if agent.reasoning else 9
        traces.append(trace)
        legend_ids.add(agent_id)
    return traces


def _hover_text(agent: Means, metric: Metric) -> str:
    measured = agent.measured[metric.key]
    kind = ", reasoning model" if agent.reasoning else ""
    rests = agent.rests_on(metric)
    released = f"<br>released {agent.released:%Y-%m-%d}" if agent.released else ""
    return (
        f"{theme.plain(agent.name, 60)}{kind}, {agent.difficulty}<br>"
        f"{metric.title.lower()} {measured.percent:.1f} {metric.unit}{f', in {rests}' if rests else ''}<br>"
        f"score {agent.score or 0.0:.1f} points, {counted(agent.runs, 'run,runs')}{released}"
    )


NO_RUNS = "No run of this litmus test has finished yet."
ROW, LEAST = 34, 3
LONGEST = 18


def litmus_strip(
    records: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """Litmus scores: a panel for each test, a row for each agent by mean, a dot for each finished run.

    A bar marks the mean.
    """
    if not records:
        return theme.empty_figure(NO_RUNS)
    tests = list(dict.fromkeys(run.environment for run in records))
    tiles = [_tile(test, [run for run in records if run.environment == test], styles, link) for test in tests]
    rows = max(LEAST, *(len(tile.y["ticktext"]) for tile in tiles))
    longest = max(len(name) for tile in tiles for name in tile.y["ticktext"])
    description = f"Litmus scores of {counted(len(records), 'finished run,finished runs')} by agent."
    left = 22 + round(6.3 * longest)
    return grid_figure(tiles, columns=1, height=rows * ROW, description=description, left=left, select="url")


def _tile(
    test: str, records: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> Tile:
    agents: dict[int, list[RunRecord]] = {}
    for run in sorted(records, key=lambda run: run.score or 0.0):
        agents.setdefault(run.agent_id, []).append(run)
    order = sorted(agents.values(), key=lambda runs: -sum(run.score or 0.0 for run in runs) / len(runs))
    traces: list[Trace] = []
    for row, runs in enumerate(order):
        scores = [run.score or 0.0 for run in runs]
        traces += [
            theme.mean_bar(mean(scores) or 0.0, row),
            styles[runs[0].agent_id].dots(
                scores, [row + offset for offset in offsets([100 * score for score in scores])], "", 0.75,
                showlegend=False,
                hovertext=[f"{theme.plain(run.agent_name, 60)}, seed {run.seed}: {run.score:.2f}" for run in runs],
                customdata=[link(run.run_id) for run in runs],
            ),
        ]  # fmt: skip
    span = max(LEAST, len(order)) - 0.5
    return Tile(
        title=f"{ENVIRONMENTS[test].title}, bars are means",
        x_title=f"litmus score, {litmus_test_of(test).scale}",
        traces=traces,
        x={"range": list(theme.padded([0.0, 1.0, *(run.score or 0.0 for run in records)], 0.04)), "nticks": 6},
        y={
            "range": [span, -0.5],
            "tickvals": list(range(len(order))),
            "ticktext": [theme.plain(runs[0].agent_name, LONGEST) for runs in order],
            "tickfont": {"size": 11.5, "color": theme.INK},
        },
    )
