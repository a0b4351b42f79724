"""The figures of the page of an agent: its litmus scores, its scores over time, the rounds of a watch for drift."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.agent_page.selectors import ScoredRun
from analysis.base.table import RunRecord
from analysis.litmus.scores import LEAST_COMPETENCY, LitmusScores, litmus_scores, litmus_test_of
from environments.registry import BENCHMARKS, ENVIRONMENTS, LITMUS_TESTS, score_format, variant_label
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, share
from runs.selectors.cells import environment_title
from stats.means import mean_interval
from workspace.drift.selectors import RoundRow

NO_LITMUS_RUNS = "No litmus run of this agent has finished yet."
PROFILE_HEIGHT = 64
INTERVAL = 7
"""Thickness in pixels of the bar of an interval."""


def litmus_profile(records: Sequence[RunRecord], colour: str, link: Callable[[int], str]) -> PlotlyFigure:
    """A row for each litmus test with a score: the mean with its 95 % interval, between the test's two ends.

    records: runs of one agent in all variants, played alone or against itself
    link: returns the address of a run by its id
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
        return theme.empty_figure(NO_LITMUS_RUNS)
    return grid_figure(
        tiles,
        columns=2,
        height=PROFILE_HEIGHT,
        description=f"Litmus profile. {' '.join(sentences)}",
        left=24,
        select="url",
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


NO_RUNS = "No run of this agent has finished yet."
HEIGHT = 210
LEAST_SPAN = 12 * 3_600_000
"""Milliseconds before the first and after the last launch, so that runs of one launch are not stretched over the panel."""


def over_time_figure(runs: Sequence[ScoredRun], link: Callable[[int], str]) -> PlotlyFigure:
    """The scores of runs over time; litmus tests have a panel of their own. Each environment has one colour.

    link: returns the address of a run by its id
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


ROUNDS_HEIGHT = 230


def rounds_figure(rows: Sequence[RoundRow], link: Callable[[int], str]) -> PlotlyFigure:
    """The rounds of a watch: instances as small dots, their mean as a diamond, each baseline's mean as a dashed line.

    link: returns the address of an experiment by its id
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
    figure = grid_figure([tile], columns=1, height=ROUNDS_HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, 900)


def _baselines(rows: Sequence[RoundRow]) -> list[theme.Trace]:
    """A line for each baseline at the mean of its rounds, up to the last round that is compared with it."""
    traces: list[theme.Trace] = []
    for number in sorted({row.round.baseline for row in rows}):
        baseline_rows = [row for row in rows if row.round.baseline == number]
        scores = [row.score for row in baseline_rows if row.round.in_baseline and row.score is not None]
        if scores:
            ends = [baseline_rows[0].round.number - 0.4, baseline_rows[-1].round.number + 0.4]
            level = sum(scores) / len(scores)
            traces.append(theme.reference(ends, [level, level], "mean of the baseline", showlegend=not traces))
    return traces
