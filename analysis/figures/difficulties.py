"""Mean scores by difficulty, a line for each agent (paper, figure 3)."""

from collections.abc import Mapping, Sequence

from analysis.base.benchmark_filters import environment_title
from analysis.base.published import published_style
from analysis.base.table import BenchmarkColumn, Kind
from analysis.benchmark.table import BenchmarkTable, Row
from environments.generation import difficulty_title
from infrastructure.figures import theme
from infrastructure.figures.colours import DASHED, AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.summaries import Summary

MOST_LINES = 12
"""The most rows of the table that are drawn; with more lines nobody can follow one."""
ORDER = {Kind.PUBLISHED: 1, Kind.BASELINE: 2}
"""The organization's agents come first, whatever their scores."""
NOTHING = "No agent has a mean score in two of these difficulties yet."
HEIGHT, WIDE = 260, 900
"""Height of a panel, and width into which the legend must fit on a large screen, in pixels."""
SPREAD = 0.2
"""Width over which the points of a difficulty stand side by side, so that their error bars do not cover each other."""


def difficulties_figure(table: BenchmarkTable, styles: Mapping[int, AgentStyle]) -> PlotlyFigure:
    """A panel for each environment. Bars are standard errors; published rows are dashed and have none.

    Rows with a mean in two difficulties of an environment are drawn there, at most MOST_LINES: agents of the organization
    first, then published rows, then baselines, each in the order of the table.
    """
    panels = [
        [column for column in table.columns if column.environment == environment] for environment, _ in table.groups
    ]
    rows = [row for row in table.rows if any(len(_cells(row, table, columns)) > 1 for columns in panels)]
    rows.sort(key=lambda row: ORDER.get(row.kind, 0))
    drawn = rows[:MOST_LINES]
    if not drawn:
        return theme.empty_figure(NOTHING)
    looks = [_style(row, styles) for row in drawn]
    # The legend has each row once, with the first panel that draws it.
    first = [next(columns for columns in panels if len(_cells(row, table, columns)) > 1) for row in drawn]
    tiles = [_tile(table, columns, drawn, looks, [columns is each for each in first]) for columns in panels]
    left_out = f", {len(drawn)} of {len(rows)} rows" if len(rows) > len(drawn) else ""
    description = (
        f"Mean scores of {counted(len(drawn), 'row,rows')} by difficulty in {counted(len(tiles), 'panel,panels')}"
        f"{left_out}. The table above has the numbers."
    )
    figure = grid_figure(tiles, columns=3, height=HEIGHT, description=description)
    return theme.with_legend_room(figure, WIDE)


def _tile(
    table: BenchmarkTable,
    columns: Sequence[BenchmarkColumn],
    rows: Sequence[Row],
    looks: Sequence[AgentStyle],
    in_legend: Sequence[bool],
) -> Tile:
    """The panel of an environment with these columns. looks: style of each row; in_legend: whether to name each"""
    traces = []
    for index, (row, style, named) in enumerate(zip(rows, looks, in_legend, strict=True)):
        traces += _traces(row, _cells(row, table, columns), style, _shift(index, len(rows)), named)
    lowest = min(100 * mean for row in rows for mean in row.means)
    return Tile(
        title=f"{environment_title(columns[0].environment)}, mean score in points",
        x_title="difficulty",
        traces=traces,
        x={
            "range": [-0.35, len(columns) - 0.65],
            "tickvals": list(range(len(columns))),
            "ticktext": [theme.plain(difficulty_title(column.difficulty), 18) for column in columns],
        },
        y={"range": [min(0.0, lowest) - 4, 104], "nticks": 6},
    )


def _cells(row: Row, table: BenchmarkTable, columns: Sequence[BenchmarkColumn]) -> list[tuple[int, str, Summary]]:
    """(position, difficulty, cell) of the columns in which the row has a mean."""
    by_column = dict(zip(table.columns, row.cells, strict=True))
    return [
        (index, difficulty_title(column.difficulty), cell)
        for index, column in enumerate(columns)
        if (cell := by_column[column]) is not None and cell.mean is not None
    ]


def _shift(index: int, count: int) -> float:
    return SPREAD * (index / (count - 1) - 0.5) if count > 1 else 0.0


def _style(row: Row, styles: Mapping[int, AgentStyle]) -> AgentStyle:
    return published_style(row.name) if row.agent_id is None else styles[row.agent_id]


def _traces(
    row: Row, cells: Sequence[tuple[int, str, Summary]], style: AgentStyle, shift: float, in_legend: bool
) -> list[Trace]:
    if len(cells) < 2:
        return []
    x = [index + shift for index, _, _ in cells]
    y = [100 * (cell.mean or 0.0) for _, _, cell in cells]
    errors = [100 * (cell.standard_error or 0.0) for _, _, cell in cells]
    look = {"color": style.colour, "width": 1.5, "dash": DASHED if row.kind == Kind.PUBLISHED else "solid"}
    line = theme.line(x, y, "", style.colour, line=look, showlegend=False, hoverinfo="skip")
    dots = style.dots(
        x, y, theme.plain(row.full_name, 34), 1, showlegend=in_legend,
        hovertext=[_hover_text(row, difficulty, cell) for _, difficulty, cell in cells],
        error_y={"type": "data", "array": errors, "thickness": 1.25, "width": 3, "color": style.colour},
    )  # fmt: skip
    return [line, dots]


def _hover_text(row: Row, difficulty: str, cell: Summary) -> str:
    error = "" if cell.standard_error is None else f" ± {100 * cell.standard_error:.1f}"
    instances = f", {counted(cell.n, 'instance,instances')}" if cell.n else ""
    return f"{theme.plain(row.full_name, 60)}, {difficulty}: {100 * (cell.mean or 0.0):.1f}{error} points{instances}"
