"""A scatter plot of two measures, with a line for our runs and one for the published models."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.base.published import published_style
from analysis.figures.dots import QUIET
from analysis.generalizability.measures import Measure, Source
from analysis.generalizability.relation import OWN, Point, Relation, Series
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

HEIGHT = 420
LONGEST = 24
SIDES = ("top center", "bottom center")


def relation_figure(relation: Relation, styles: Mapping[int, AgentStyle]) -> PlotlyFigure:
    """A dot for each agent, model or maker with its name. Published ones are open marks with a grey line."""
    points = [point for series in relation.series for point in series.points]
    if not points:
        return theme.empty_figure(f"No {relation.by} has both measures under these filters.")
    tile = Tile(
        title=relation.y.heading,
        x_title=relation.x.heading,
        traces=[
            *(trace for series in relation.series for trace in _line(series)),
            *(_dots(relation, series, styles) for series in relation.series if series.points),
        ],
        x=_axis(relation.x, [point.x.value for point in points]),
        y=_axis(relation.y, [point.y.value for point in points]),
    )
    counts = counted(len(points), f"{relation.by},{relation.by}s")
    description = f"{relation.y.title} by {relation.x.title} of {counts}. The table below has the numbers."
    return grid_figure([tile], columns=1, height=HEIGHT, description=description)


def _axis(measure: Measure, values: Sequence[float]) -> dict[str, Any]:
    """Years have no thousands separator."""
    years = {"tickformat": ".1f"} if measure.source == Source.RELEASE else {}
    return {"range": list(theme.padded(values, 0.1)), "nticks": 7, **years}


def _label_positions(values: Sequence[float]) -> list[str]:
    """Where the names of the dots stand: inwards at the sides, else above and below by turns, so that fewer overlap."""
    low, high = min(values), max(values)
    ranks = {index: rank for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__))}
    edge = 0.15 * (high - low)
    return [
        "middle left" if value > high - edge else "middle right" if value < low + edge else SIDES[ranks[index] % 2]
        for index, value in enumerate(values)
    ]


def _line(series: Series) -> list[Trace]:
    if isinstance(series.relation, str):
        return []
    line = series.relation.line
    colour = theme.ACCENT if series.source == OWN else theme.FAINT
    return [theme.line([line.low, line.high], [line.at(line.low), line.at(line.high)], "", colour, **QUIET)]


def _dots(relation: Relation, series: Series, styles: Mapping[int, AgentStyle]) -> Trace:
    shapes = [_style(point, relation.by, styles) for point in series.points]
    return theme.dots(
        [point.x.value for point in series.points],
        [point.y.value for point in series.points],
        "", theme.ACCENT, showlegend=False, mode="markers+text",
        marker={
            "color": [shape.colour for shape in shapes],
            "symbol": [shape.symbol for shape in shapes],
            "size": 9,
            "line": {"width": 1.25, "color": [shape.colour for shape in shapes]},
        },
        text=[theme.plain(point.name, LONGEST) for point in series.points],
        textposition=_label_positions([point.x.value for point in series.points]),
        textfont={"size": 10.5, "color": theme.SOFT},
        hovertext=[_hover_text(relation, series, point) for point in series.points],
    )  # fmt: skip


def _style(point: Point, by: str, styles: Mapping[int, AgentStyle]) -> AgentStyle:
    """A maker has no colour of its own."""
    if by == "maker":
        return AgentStyle(theme.ACCENT, "circle") if point.agent_id else AgentStyle(theme.FAINT, "circle-open")
    if point.agent_id is None:
        return published_style(point.name)
    return styles.get(point.agent_id, AgentStyle(theme.ACCENT, "circle"))


def _hover_text(relation: Relation, series: Series, point: Point) -> str:
    return (
        f"{theme.plain(point.name, 60)}, {series.label.lower()}<br>"
        f"{theme.plain(relation.x.heading)}: {relation.x.text(point.x.value)}<br>"
        f"{theme.plain(relation.y.heading)}: {relation.y.text(point.y.value)}"
    )
