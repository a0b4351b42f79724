"""An agent's scores by the time its runs were launched."""

from collections.abc import Callable, Sequence

from analysis.agent_page.selectors import ScoredRun
from environments.registry import BENCHMARKS, ENVIRONMENTS, score_format, variant_label
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted
from runs.selectors.cells import environment_title

NO_RUNS = "No run of this agent has finished yet."
HEIGHT = 210
LEAST_SPAN = 12 * 3_600_000
"""Milliseconds before the first and after the last launch, so that runs of one launch are not stretched over the panel."""


def over_time_figure(runs: Sequence[ScoredRun], link: Callable[[int], str]) -> PlotlyFigure:
    """Benchmarks in points, and litmus tests in a panel of their own; one colour for each environment.

    `link` gives the address of a run by its id.
    """
    kinds = {
        "score, points of 100": [run for run in runs if run.environment in BENCHMARKS],
        "litmus score of the main prompt; of patience the rate a year": [
            run for run in runs if run.environment not in BENCHMARKS and run.variant == "main"
        ],
    }
    panels = {title: panel_runs for title, panel_runs in kinds.items() if panel_runs}
    if not panels:
        return theme.empty_figure(NO_RUNS)
    times = [run.launched.timestamp() * 1000 for panel_runs in panels.values() for run in panel_runs]
    air = max(LEAST_SPAN, 0.04 * (max(times) - min(times)))
    span = [min(times) - air, max(times) + air]
    tiles = [_tile(title, panel_runs, span, link) for title, panel_runs in panels.items()]
    description = f"Scores of {counted(len(times), 'finished run,finished runs')} by the time of their launch."
    figure = grid_figure(tiles, columns=len(tiles), height=HEIGHT, description=description, select="url")
    # Plotly leaves out the legend of a single trace.
    figure["layout"]["showlegend"] = True
    return theme.with_legend_room(figure, 900)


def _tile(title: str, runs: Sequence[ScoredRun], span: list[float], link: Callable[[int], str]) -> Tile:
    traces = [
        _dots(name, [run for run in runs if run.environment == name], link)
        for name in sorted({run.environment for run in runs}, key=_rank)
    ]
    low, high = theme.padded([value for trace in traces for value in trace["y"]])
    whole = 100.0 if runs[0].environment in BENCHMARKS else 1.0
    bounds = [min(low, -0.04 * whole), max(high, 1.04 * whole)]
    return Tile(title, "launched", traces, {"type": "date", "range": span, "nticks": 6}, {"range": bounds, "nticks": 6})


def _rank(environment: str) -> int:
    return list(ENVIRONMENTS).index(environment) if environment in ENVIRONMENTS else 0


def _dots(environment: str, runs: Sequence[ScoredRun], link: Callable[[int], str]) -> Trace:
    factor = 100 if environment in BENCHMARKS else 1
    rank = _rank(environment)
    title = environment_title(environment)
    return theme.dots(
        [run.launched.timestamp() * 1000 for run in runs],
        [factor * run.score for run in runs],
        title,
        theme.PALETTE[rank % len(theme.PALETTE)],
        size=7,
        opacity=0.75,
        cliponaxis=True,
        hovertext=[
            f"run {run.run_id}, {title} {run.difficulty}, seed {run.seed}: "
            f"{score_format(environment, run.variant).text(run.score)}, {run.launched:%-d %b %Y}"
            + ("" if run.variant == "main" else f", {variant_label(environment, run.variant)}")
            for run in runs
        ],
        customdata=[link(run.run_id) for run in runs],
    )
