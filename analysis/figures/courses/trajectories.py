"""One small panel for each instance with the runs of one or two agents (paper, figure 6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from analysis.courses.trajectories import Trajectories
from environments.base import Instance, Outcome
from games.overlay import RunPath, run_paths
from games.registry import parts_of
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted

NOTHING = "No run that fits these filters has finished."
HEIGHT, WIDE = 120, 900
WIDTH = 1.75
"""Of the line of a run in pixels."""


def trajectories_figure(
    result: Trajectories,
    instances: Mapping[int, Instance],
    outcomes: Mapping[int, Sequence[Outcome]],
    periods: int,
    styles: Mapping[int, AgentStyle],
    link: Callable[[int, int], str],
) -> PlotlyFigure:
    """A panel for each instance by seed.

    instances: by id; outcomes: of each run, by its id; periods: length of the runs
    link: returns the address of a period from the ids of run and period
    """
    tiles: list[Tile] = []
    named: set[str] = set()
    for instance_id, courses in result.by_instance.items():
        runs = [
            (each.agent, styles[each.agent_id], outcomes[each.run_id], partial(link, each.run_id))
            for each in courses
            if outcomes[each.run_id]
        ]
        paths = [replace(path, width=WIDTH) for path in run_paths(runs)]
        tiles.append(_tile(instances[instance_id], paths, periods, named))
    if not any(tile.traces for tile in tiles):
        return theme.empty_figure(NOTHING)
    names = " and ".join(theme.plain(name, 60) for name in result.agents.values())
    description = f"Runs of {names} on {counted(len(tiles), 'instance,instances')}, a panel for each."
    figure = grid_figure(tiles, columns=3, height=HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, WIDE)


def _tile(instance: Instance, runs: Sequence[RunPath], periods: int, named: set[str]) -> Tile:
    """The panel of an instance. named: names that the legend has already; those of this panel are added"""
    panel = parts_of(instance.environment).course(instance, runs, max(periods - 1, 1))
    traces = []
    for trace in panel.traces:
        in_legend = bool(trace["name"]) and trace.get("showlegend", True) and trace["name"] not in named
        named |= {trace["name"]} if in_legend else set()
        traces.append(trace | {"showlegend": in_legend})
    return Tile(
        title=f"seed {instance.seed}: {panel.title} {theme.beyond_label(panel.traces)}".rstrip(),
        x_title="period",
        traces=traces,
        x={"range": [-0.02 * periods, 1.02 * periods], "nticks": 6},
        y={"range": list(panel.bounds)} | panel.axis,
    )
