"""Litmus scores of single runs by agent (paper, figure 14)."""

from collections.abc import Callable, Mapping, Sequence

from analysis.base.table import RunRecord
from analysis.litmus.scores import litmus_test_of
from environments.registry import ENVIRONMENTS
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from stats.summaries import mean

NO_RUNS = "No run of this litmus test has finished yet."
ROW, LEAST = 34, 3
LONGEST = 18


def litmus_strip(
    records: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A panel for each test, a row for each agent by mean, a dot for each finished run; a bar marks the mean."""
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
