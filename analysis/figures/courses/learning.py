"""Learning curves: the mean score by period with a band for each agent."""

from collections.abc import Mapping
from itertools import groupby

from analysis.base.table import Kind
from analysis.courses.learning import Learning, LearningCurve
from infrastructure.figures import theme
from infrastructure.figures.colours import DASHED, AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.means import Interval

NOTHING = "No run that fits these filters has finished."
HEIGHT, WIDE = 230, 900
BAND_POINTS = 25
"""Periods of a curve at which its band is computed; straight lines join them."""
LOWEST = -50.0
"""Lowest mean in points that is drawn."""


def learning_figure(result: Learning, styles: Mapping[int, AgentStyle]) -> PlotlyFigure:
    """A panel for each environment and difficulty with a line for each agent."""
    if not result.curves:
        return theme.empty_figure(NOTHING)
    seen: set[int | None] = set()
    tiles = []
    for column, group in groupby(result.curves, key=lambda curve: curve.column):
        curves = list(group)
        lowest = min(100 * float(curve.mean.min()) for curve in curves)
        cut = f", cut at {LOWEST:.0f}".replace("-", "−") if lowest < LOWEST else ""
        tiles.append(
            Tile(
                title=f"{column.title}, {result.titles[column.environment]}, points{cut}",
                x_title="period",
                traces=[
                    trace
                    for curve in curves
                    for trace in _traces(curve, styles[curve.agent.agent_id or 0], curve.agent.agent_id not in seen)
                ],
                x={"range": [-0.02 * result.length, 1.02 * result.length], "nticks": 6},
                y={"range": [max(LOWEST, min(0.0, lowest)) - 4, 104], "nticks": 6},
            )
        )
        seen |= {curve.agent.agent_id for curve in curves}
    description = (
        f"Mean score by period of {counted(len(seen), 'agent,agents')} in {counted(len(tiles), 'panel,panels')}. "
        "The table below has the means at the start, in the middle and at the end."
    )
    figure = grid_figure(tiles, columns=3 if len(tiles) % 3 == 0 else 2, height=HEIGHT, description=description)
    return theme.with_legend_room(figure, WIDE)


def _traces(curve: LearningCurve, style: AgentStyle, in_legend: bool) -> list[Trace]:
    name, instances = theme.plain(curve.agent.full_name, 60), counted(curve.instances, "instance,instances")
    means = (100 * curve.mean).tolist()
    step = -(-len(means) // BAND_POINTS)
    periods = sorted({*range(0, len(means), step), len(means) - 1})
    bands = dict(zip(periods, curve.bands(periods), strict=True))
    look = {"color": style.colour, "width": 1.75, "dash": DASHED if curve.agent.kind == Kind.BASELINE else "solid"}
    texts = []
    for period, mean in enumerate(means):
        band = bands.get(period)
        ends = " ({:.1f} to {:.1f})".format(*(100 * end for end in band)) if band else ""
        texts.append(f"{name}, period {period}: {mean:.1f}{ends} points, {instances}")
    line = theme.line(
        range(len(means)), means, theme.plain(curve.agent.full_name, 30), style.colour, line=look,
        showlegend=in_legend, hovertext=texts, cliponaxis=True,
    )  # fmt: skip
    return [*_areas(bands, style), line]


def _areas(bands: Mapping[int, Interval | None], style: AgentStyle) -> list[Trace]:
    """A shaded area for each stretch of periods that have an interval."""
    areas = []
    for has_band, group in groupby(bands.items(), key=lambda entry: entry[1] is not None):
        stretch = [(period, *band) for period, band in group if band is not None]
        if has_band and len(stretch) > 1:
            periods, low, high = zip(*stretch, strict=True)
            areas.append(
                theme.line(
                    [*periods, *reversed(periods)], [100 * end for end in (*low, *reversed(high))], "", style.colour,
                    fill="toself", fillcolor=style.colour, opacity=0.13, line={"width": 0}, showlegend=False,
                    hoverinfo="skip", cliponaxis=True,
                )
            )  # fmt: skip
    return areas
