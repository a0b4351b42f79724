"""The share of an agent's runs that had taken an optimal action by each period."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from analysis.convergence.times import Convergence, TimesRow
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.times import reached_by

NOTHING = "No run that fits these filters has finished."
MOST_LINES = 12
HEIGHT, WIDE = 210, 900


def reached_figure(result: Convergence, styles: Mapping[int, AgentStyle]) -> PlotlyFigure:
    """A panel for each environment and difficulty, with a step line for each agent, the fastest MOST_LINES."""
    if not result.rows:
        return theme.empty_figure(NOTHING)
    columns = [(column, list(rows)) for column, rows in groupby(result.rows, key=lambda row: row.column)]
    seen: set[int | None] = set()
    tiles = []
    for column, rows in columns:
        tiles.append(
            Tile(
                title=f"{column.title}, % of runs with the {result.events[column.environment]}",
                x_title="periods",
                traces=[
                    _steps(row, result.length, styles, row.agent.agent_id not in seen) for row in rows[:MOST_LINES]
                ],
                x={"range": [-0.02 * result.length, 1.02 * result.length], "nticks": 6},
                y={"range": [-0.04, 1.04], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]},
            )
        )
        seen |= {row.agent.agent_id for row in rows[:MOST_LINES]}
    description = (
        f"Share of runs with an optimal action by period, in {counted(len(tiles), 'panel,panels')}. "
        "The table below has the numbers."
    )
    figure = grid_figure(tiles, columns=2, height=HEIGHT, description=description)
    return theme.with_legend_room(figure, WIDE)


def _steps(row: TimesRow, length: int, styles: Mapping[int, AgentStyle], in_legend: bool) -> Trace:
    style = styles[row.agent.agent_id or 0]
    shares = reached_by(row.times, row.weights, length).tolist()
    name, runs = theme.plain(row.agent.full_name, 60), counted(len(row.times), "run,runs")
    texts: Sequence[str] = [f"{name}: {share:.0%} of {runs} after {period}" for period, share in enumerate(shares)]
    line = theme.step_line(
        range(length + 1), shares, theme.plain(row.agent.full_name, 30), style.colour, showlegend=in_legend,
        hovertext=texts,
    )  # fmt: skip
    return line | {"line": line["line"] | {"dash": style.dash}}
