"""An agent's litmus scores with their intervals in one picture, competency and reliability beside them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.base.table import RunRecord
from analysis.litmus.scores import LEAST_COMPETENCY, LitmusScores, litmus_scores, litmus_test_of
from environments.registry import LITMUS_TESTS, score_format
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, share
from runs.selectors.cells import environment_title
from stats.means import mean_interval

NO_RUNS = "No litmus run of this agent has finished yet."
HEIGHT = 64
INTERVAL = 7
"""Pixels of the bar of an interval."""


def litmus_profile(records: Sequence[RunRecord], colour: str, link: Callable[[int], str]) -> PlotlyFigure:
    """A row for each litmus test with a score: the mean with its 95 % interval between the test's two ends.

    records: runs of one agent in all variants, played against itself or alone; `link` gives the address of a run.
    """
    tiles, sentences = [], []
    for test in LITMUS_TESTS:
        runs = [run for run in records if run.environment == test and run.rival_id is None]
        scores = litmus_scores(test, runs)
        if scores.has_score:
            scored = [run for run in runs if run.variant == "main" and run.is_scored]
            tiles += [_score_tile(scores, scored, colour, link), _trust_tile(scores, colour)]
            sentences.append(f"{tiles[-2].title}; {tiles[-1].title}.")
    if not tiles:
        return theme.empty_figure(NO_RUNS)
    return grid_figure(
        tiles, columns=2, height=HEIGHT, description=f"Litmus profile. {' '.join(sentences)}", left=24, select="url"
    )


def _score_tile(scores: LitmusScores, runs: Sequence[RunRecord], colour: str, link: Callable[[int], str]) -> Tile:
    form = score_format(scores.test)
    values = [run.score or 0.0 for run in runs]
    mean, interval = scores.litmus.mean or 0.0, mean_interval(values)
    spread = f", 95 % interval {form.text(interval[0])} to {form.text(interval[1])}" if interval else ", no interval"
    title = f"{environment_title(scores.test)}: {form.text(mean)}{spread}, {counted(len(runs), 'run,runs')}"
    low, high = min([0.0, *values]), max([form.top, *values])
    air = 0.04 * (high - low)
    first, last = litmus_test_of(scores.test).ends
    shade = theme.FAINT if scores.weak else colour
    ends: list[Trace] = [
        theme.reference([form.factor * value] * 2, [-1, 1], "", showlegend=False) for value in (0.0, form.top)
    ]
    bar = [
        theme.line(
            [form.factor * value for value in interval], [0, 0], "", shade, opacity=0.45, showlegend=False,
            line={"color": shade, "width": INTERVAL}, hovertext=f"95 % interval of the mean{spread[16:]}", cliponaxis=True,
        )
    ] if interval else []  # fmt: skip
    dots = theme.dots(
        [form.factor * value for value in values], [0.62] * len(values), "", shade, size=6, opacity=0.5,
        showlegend=False, hovertext=[f"run {run.run_id}, seed {run.seed}: {form.text(run.score)}" for run in runs],
        customdata=[link(run.run_id) for run in runs],
    )  # fmt: skip
    weak = f". {scores.weak}" if scores.weak else ""
    point = theme.dots(
        [form.factor * mean], [0], "", shade, size=12, symbol="diamond", showlegend=False,
        hovertext=[f"mean {form.text(mean)}{theme.plain(weak, 90)}"], customdata=[""],
    )  # fmt: skip
    return Tile(
        title=title,
        x_title=f"{first} ← {form.label.lower()} → {last}",
        traces=[*ends, *bar, dots, point],
        x={"range": [form.factor * (low - air), form.factor * (high + air)], "ticksuffix": form.unit, "nticks": 6},
        y=_row(),
    )


def _trust_tile(scores: LitmusScores, colour: str) -> Tile:
    """Competency and reliability on their scale from 0 to 1, with the threshold below which a score says little."""
    values = {"competency": scores.competency.mean, "reliability": scores.reliability}
    line = theme.reference([LEAST_COMPETENCY] * 2, [-1, 1], "", showlegend=False)
    symbols: Mapping[str, str] = {"competency": "circle", "reliability": "square-open"}
    rows = {"competency": 0.4, "reliability": -0.4}
    traces = [line]
    for name, value in values.items():
        if value is not None:
            low = (scores.steadiness[0] if name == "reliability" and scores.steadiness else value) < LEAST_COMPETENCY
            traces.append(
                theme.dots(
                    [value], [rows[name]], "", theme.WARN if low else colour, size=9, symbol=symbols[name],
                    showlegend=False, hovertext=[f"{name} {value:.2f}{', low' if low else ''}"], customdata=[""],
                )
            )  # fmt: skip
            traces[-1]["marker"]["line"] = {"color": theme.WARN if low else colour, "width": 1.5}
    title = ", ".join(f"{name} {share(value)}" for name, value in values.items())
    return Tile(
        title=title,
        x_title="0 ← ● competency, □ reliability → 1",
        traces=traces,
        x={"range": [-0.04, 1.04], "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]},
        y=_row(),
    )


def _row() -> dict[str, Any]:
    return {"range": [-1, 1], "showticklabels": False, "showgrid": False}
