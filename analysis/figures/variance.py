"""The components of the variance of scores: a row for each environment and difficulty, a dot for each component."""

from collections.abc import Sequence
from typing import Any

from analysis.figures.dots import label_room
from analysis.variance.selectors import CellVariance
from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.designs import variance
from stats.designs.variance import Components

NOTHING = "No two instances of an environment and difficulty have a finished run that fits the filters."
ROW, FRAME = 54, 96
"""Pixels of a row, and of everything around the rows."""
STYLES = {
    variance.INSTANCE: (theme.FAINT, "diamond", -0.24),
    variance.INSTANCE_AND_ON_INSTANCE: (theme.FAINT, "diamond-open", -0.24),
    variance.ON_INSTANCE: (theme.INK, "square", 0.0),
    variance.ON_INSTANCE_AND_RUN: (theme.INK, "square-open", 0.0),
    variance.ALL: (theme.INK, "x", 0.0),
    variance.RUN: (theme.ACCENT, "circle", 0.24),
}
"""Colour, symbol and position in its row of each component."""


def variance_figure(cells: Sequence[CellVariance]) -> PlotlyFigure:
    """Standard deviations in points, with the 95 % intervals that there are."""
    known_cells = [(cell.title, cell.result) for cell in cells if isinstance(cell.result, Components)]
    if not known_cells:
        return theme.empty_figure(NOTHING)
    titles = [title for title, _ in known_cells]
    traces = [trace for name in STYLES for trace in _traces(name, known_cells)]
    largest = max(x for trace in traces for x in trace["x"] if x is not None) or 1.0
    axis = {"tickmode": "array", "tickvals": list(range(len(titles))), "ticktext": titles, "showgrid": False}
    return theme.figure(
        traces,
        {
            "hovermode": "closest",
            "xaxis": theme.x_axis(
                range=[-0.03 * largest, 1.06 * largest],
                showgrid=True,
                gridcolor=theme.LINE,
                title=theme.axis_title("standard deviation, points", 8),
            ),
            "yaxis": theme.y_axis(range=[len(titles) - 0.5, -0.5], **axis),
        },
        description=(
            f"Standard deviations of the components of the score in {counted(len(titles), 'row,rows')}. The table below "
            "has the numbers."
        ),
        height=len(titles) * ROW + FRAME,
        left=label_room(titles, 26) + 24,
    )


def _traces(name: str, known_cells: Sequence[tuple[str, Components]]) -> list[Trace]:
    """The intervals and the dots of one component; empty if no row has it."""
    colour, symbol, position = STYLES[name]
    rows = [
        (row + position, title, result.terms[name])
        for row, (title, result) in enumerate(known_cells)
        if name in result.terms
    ]
    if not rows:
        return []
    ends = [(row, end) for row, _, term in rows if term.interval for end in (*term.interval, None)]
    quiet: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip", "line": {"width": 1.5, "color": colour}}
    texts = [
        f"{title}, {name}: {term.deviation:.1f} points"
        + (f" (95 % interval {term.interval[0]:.1f} to {term.interval[1]:.1f})" if term.interval else "")
        for _, title, term in rows
    ]
    dots = theme.dots(
        [term.deviation for _, _, term in rows], [row for row, *_ in rows], name, colour,
        symbol=symbol, size=9, hovertext=texts,
    )  # fmt: skip
    return [theme.line([end for _, end in ends], [row for row, _ in ends], "", colour, **quiet), dots]
