"""Figure of a scheduling instance: the preferences of both sides, and one stable matching."""

from collections.abc import Sequence
from typing import Any

from environments.base import Instance
from environments.scheduling.economics import Preferences
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

HEIGHT = 330
MOST_HOVER_TEXTS = 60
"""Maximum number of workers with hover texts in every cell. More cells would make the page slow."""
LABELS = 10


def scheduling_instance(instance: Instance) -> PlotlyFigure:
    """Two heat maps of ranks. The first choice has full colour, the last none."""
    preferences = Preferences.of(instance)
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    matching = [int(task) for task in preferences.stable_matching()]
    ranks = preferences.worker_rank, preferences.task_rank
    by_task = sorted(range(len(matching)), key=matching.__getitem__)
    tiles = [
        _tile("workers rank tasks", "task", ranks[0].tolist(), workers, tasks, matching, with_legend=True),
        _tile("tasks rank workers", "worker", ranks[1].tolist(), tasks, workers, by_task),
    ]
    mean = [float(sum(rank[i, partners[i]] + 1 for i in range(len(partners)))) / len(partners)
            for rank, partners in ((ranks[0], matching), (ranks[1], by_task))]  # fmt: skip
    description = (
        f"Preferences of {len(workers)} workers and as many tasks. A random matching has "
        f"{preferences.expected_blocking_pairs():.1f} blocking pairs on average. In the stable matching shown, workers get "
        f"their choice number {mean[0]:.1f} and tasks their number {mean[1]:.1f} on average."
    )
    return grid_figure(tiles, columns=2, height=HEIGHT, description=description)


def _tile(
    title: str,
    x_title: str,
    ranks: Sequence[Sequence[int]],
    rankers: Sequence[str],
    ids: Sequence[str],
    matching: Sequence[int],
    *,
    with_legend: bool = False,
) -> Tile:
    size = len(ids)
    gap = 1 if size <= MOST_HOVER_TEXTS else 0.1
    hover: dict[str, Any] = {"hoverinfo": "z"}
    if size <= MOST_HOVER_TEXTS:
        texts = [
            [f"{ranker} ranks {name} {rank + 1} of {size}" for name, rank in zip(ids, row, strict=True)]
            for ranker, row in zip(rankers, ranks, strict=True)
        ]
        hover = {"hoverinfo": "text", "hovertext": texts}
    heat: Trace = {
        "type": "heatmap", "name": f"rank, {title}", "x": list(range(size)), "y": list(range(size)),
        "z": [[rank + 1 for rank in row] for row in ranks], "zmin": 1, "zmax": size, "showscale": False,
        # Without gaps Plotly would add an inline style to the page, which the content security policy forbids.
        "xgap": gap, "ygap": gap,
        "colorscale": [[0, theme.ACCENT], [1, theme.PANEL]], **hover,
    }  # fmt: skip
    pairs = [f"stable: {ranker} and {ids[index]}" for ranker, index in zip(rankers, matching, strict=True)]
    stable = theme.dots(
        matching, range(size), "a stable matching", theme.INK, symbol="circle-open", size=max(3, min(9, 260 // size)),
        showlegend=with_legend, hovertext=pairs,
    )  # fmt: skip
    keys: list[Trace] = []
    if with_legend:
        # Traces without points are legend entries; Plotly's own colour bars break the content security policy.
        first, last = theme.ACCENT, theme.LINE
        keys = [
            theme.dots([None], [None], name, colour, symbol="square", size=10, hoverinfo="skip")
            for name, colour in (("first choice", first), ("last choice", last))
        ]
    return Tile(title, x_title, [heat, *keys, stable], _axis(ids), _axis(rankers) | {"range": [size - 0.5, -0.5]})


def _axis(names: Sequence[str]) -> dict[str, Any]:
    step = -(-len(names) // LABELS)
    ticks = list(range(0, len(names), step))
    return {
        "range": [-0.5, len(names) - 0.5], "tickmode": "array", "tickvals": ticks,
        "ticktext": [names[tick] for tick in ticks], "showgrid": False,
    }  # fmt: skip
