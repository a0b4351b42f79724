"""The scores of a watch for drift by round."""

from collections.abc import Callable, Sequence

from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted
from workspace.drift.selectors import RoundRow

HEIGHT = 230


def rounds_figure(rows: Sequence[RoundRow], link: Callable[[int], str]) -> PlotlyFigure:
    """Instances as small dots, their mean as a diamond, and the mean of each baseline as a dashed line.

    `link` gives the address of an experiment by its id.
    """
    scored = [row for row in rows if row.score is not None]
    if not scored:
        return theme.empty_figure("No run of a round has finished yet.")
    numbers = [row.round.number for row in scored for _ in row.outcome.scores]
    points = [score for row in scored for score in row.outcome.scores.values()]
    means = theme.dots(
        [row.round.number for row in scored],
        [row.score for row in scored],
        "mean of a round",
        theme.ACCENT,
        size=11,
        symbol="diamond",
        hovertext=[f"round {row.round.number}: {row.score:.1f} points" for row in scored],
        customdata=[link(row.round.experiment_id or 0) for row in scored],
    )
    dots = theme.dots(numbers, points, "instance", theme.ACCENT, size=5, opacity=0.35, hoverinfo="skip")
    traces = [*_baselines(scored), dots, means]
    low, high = theme.padded(points)
    last = scored[-1].round.number
    tile = Tile(
        "score, points of 100",
        "round",
        traces,
        {"range": [0.5, last + 0.5], "tickformat": "d", "nticks": min(last + 1, 12)},
        {"range": [min(low, -4), max(high, 104)], "nticks": 6},
    )
    description = f"Scores of {counted(len(scored), 'round,rounds')} of a watch for drift."
    figure = grid_figure([tile], columns=1, height=HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, 900)


def _baselines(rows: Sequence[RoundRow]) -> list[theme.Trace]:
    """For each baseline a line at the mean of its rounds, up to the last round that is compared with it."""
    traces: list[theme.Trace] = []
    for number in sorted({row.round.baseline for row in rows}):
        baseline_rows = [row for row in rows if row.round.baseline == number]
        scores = [row.score for row in baseline_rows if row.round.in_baseline and row.score is not None]
        if scores:
            ends = [baseline_rows[0].round.number - 0.4, baseline_rows[-1].round.number + 0.4]
            level = sum(scores) / len(scores)
            traces.append(theme.reference(ends, [level, level], "mean of the baseline", showlegend=not traces))
    return traces
