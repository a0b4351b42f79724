"""Mean scores by condition, with intervals and the scores of single instances."""

from collections.abc import Container, Mapping, Sequence
from itertools import groupby

from analysis.sensitivity.conditions import Condition, ConditionScores, Sensitivity
from environments.prompts.variants import prompt_title
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

NOTHING = "No run that fits these filters has finished."
ROW, LEAST = 40, 2
"""Pixels of a condition, and the least number of rows of a panel."""
LETTER, LONGEST, WIDE = 6.3, 26, 900
SPREAD = 0.6
"""Height over which the agents of a condition stand one below the other, in rows."""


def sensitivity_figure(result: Sensitivity, styles: Mapping[int, AgentStyle]) -> PlotlyFigure:
    """A panel for each environment and difficulty that was played under several conditions, with a row for each.

    If there is none, all are drawn, with the spread over their instances.
    """
    if not result.rows:
        return theme.empty_figure(NOTHING)
    agents = list(dict.fromkeys(row.agent.agent_id for row in result.rows))
    panels = [list(rows) for _, rows in groupby(result.rows, key=lambda row: row.column)]
    panels = [rows for rows in panels if len({row.condition for row in rows}) > 1] or panels
    most = max(LEAST, *(len({row.condition for row in rows}) for rows in panels))
    tiles, named = [], set[int | None]()
    scores = [score for rows in panels for row in rows for score in row.scores]
    bounds = [min(0.0, *scores) - 4, max(100.0, *scores) + 4]
    for rows in panels:
        tiles.append(_tile(rows, result.main, agents, styles, named, (bounds, most)))
        named |= {row.agent.agent_id for row in rows}
    labels = [_label(row.condition, result.main) for row in result.rows]
    description = (
        f"Mean scores of {counted(len(agents), 'agent,agents')} under "
        f"{counted(len({row.condition for row in result.rows}), 'condition,conditions')}. The table has the numbers."
    )
    left = 22 + round(LETTER * max(map(len, labels)))
    figure = grid_figure(tiles, columns=1, height=most * ROW, description=description, left=left)
    return theme.with_legend_room(figure, WIDE)


def _tile(
    rows: Sequence[ConditionScores],
    main: Condition,
    agents: Sequence[int | None],
    styles: Mapping[int, AgentStyle],
    named: Container[int | None],
    size: tuple[list[float], int],
) -> Tile:
    """The panel of one column.

    named: agents that the legend has already; size: bounds of the x axis, and the number of rows
    """
    conditions = list(dict.fromkeys(row.condition for row in rows))
    seen = set[int | None]()
    traces: list[Trace] = []
    for row in rows:
        agent = row.agent.agent_id
        offset = SPREAD * (agents.index(agent) / (len(agents) - 1) - 0.5) if len(agents) > 1 else 0.0
        in_legend = agent not in named and agent not in seen
        traces += _traces(row, conditions.index(row.condition) + offset, styles, in_legend)
        seen.add(agent)
    column = rows[0].column
    return Tile(
        title=f"{column.title}, by condition",
        x_title="score, points",
        traces=traces,
        x={"range": size[0], "nticks": 6},
        y=_rows(conditions, main, size[1]),
    )


def _rows(conditions: Sequence[Condition], main: Condition, count: int) -> dict[str, object]:
    return {
        "range": [count - 0.5, -0.5],
        "tickvals": list(range(len(conditions))),
        "ticktext": [_label(condition, main) for condition in conditions],
        "tickfont": {"size": 11.5, "color": theme.INK},
    }


def _label(condition: Condition, main: Condition) -> str:
    """What differs from the main condition."""
    if condition == main:
        return theme.plain(condition.label, LONGEST)
    return (
        f"{condition.periods:,} periods"
        if condition.periods != main.periods
        else theme.plain(prompt_title(condition.variant), LONGEST)
    )


def _traces(row: ConditionScores, y: float, styles: Mapping[int, AgentStyle], in_legend: bool) -> list[Trace]:
    """The instances as pale dots, the interval as a line, the mean as a dot."""
    style, name = styles[row.agent.agent_id or 0], theme.plain(row.agent.full_name, 60)
    interval = "" if row.interval is None else ", 95 % interval {:.1f} to {:.1f}".format(*row.interval)
    spread = "" if row.seeds is None else f"<br>standard deviation between seeds {row.seeds:.1f}"
    repeats = "" if row.repeats is None else f", between repeats {row.repeats:.1f}"
    text = (
        f"{name}, {theme.plain(row.condition.label)}<br>mean {row.mean:.1f} points{interval}, "
        f"{counted(len(row.scores), 'instance,instances')}{spread}{repeats}"
    )
    pale = style.dots(row.scores, [y] * len(row.scores), "", 0.3, showlegend=False, hoverinfo="skip")
    mean = style.dots([row.mean], [y], theme.plain(row.agent.full_name, 30), 1, showlegend=in_legend, hovertext=[text])
    line = theme.line(
        list(row.interval or ()), [y, y] if row.interval else [], "", style.colour,
        line={"color": style.colour, "width": 2}, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    return [
        pale | {"marker": pale["marker"] | {"size": 5}},
        *([line] if row.interval else []),
        mean | {"marker": mean["marker"] | {"size": 10}},
    ]
