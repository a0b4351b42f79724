"""The figures of the page of an agent: its litmus scores, its scores over time, the rounds of a watch for drift."""

from collections.abc import Callable, Sequence
from typing import Any

from analysis.agent_page.selectors import ScoredRun
from analysis.base.table import RunRecord
from analysis.litmus.scores import LEAST_COMPETENCY, LitmusScores, litmus_scores, litmus_test_of
from environments.registry import BENCHMARKS, LITMUS_TESTS, score_format, variant_label
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, share
from runs.selectors.cells import environment_order, environment_title, game_title
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
    rows = [
        (_score_tile(scores, runs, colour, link), _trust_tile(scores, colour))
        for test in LITMUS_TESTS
        for runs in [[run for run in records if run.environment == test and run.rival_id is None]]
        for scores in [litmus_scores(test, runs)]
        if scores.has_score
    ]
    if not rows:
        return theme.empty_figure(NO_LITMUS_RUNS)
    return grid_figure(
        [tile for row in rows for tile in row],
        columns=2,
        height=PROFILE_HEIGHT,
        description=f"Litmus profile. {' '.join(f'{score.title}; {trust.title}.' for score, trust in rows)}",
        left=24,
        select="url",
    )


def _score_tile(scores: LitmusScores, runs: Sequence[RunRecord], colour: str, link: Callable[[int], str]) -> Tile:
    runs = [run for run in runs if run.variant == "main" and run.is_scored]
    form = score_format(scores.test)
    values = [run.score or 0.0 for run in runs]
    mean, interval = scores.litmus.mean or 0.0, mean_interval(values)
    spread = f", 95 % interval {form.text(interval[0])} to {form.text(interval[1])}" if interval else ", no interval"
    low, high = min([0.0, *values]), max([form.top, *values])
    air = 0.04 * (high - low)
    shade = theme.FAINT if scores.weak else colour
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
    point = theme.dots(
        [form.factor * mean], [0], "", shade, size=12, symbol="diamond", showlegend=False, customdata=[""],
        hovertext=[f"mean {form.text(mean)}{theme.plain(f'. {scores.weak}' if scores.weak else '', 90)}"],
    )  # fmt: skip
    return Tile(
        title=f"{environment_title(scores.test)}: {form.text(mean)}{spread}, {counted(len(runs), 'run,runs')}",
        x_title=f" ← {form.label.lower()} → ".join(litmus_test_of(scores.test).ends),
        traces=[*(_upright(form.factor * value) for value in (0.0, form.top)), *bar, dots, point],
        x={"range": [form.factor * (low - air), form.factor * (high + air)], "ticksuffix": form.unit, "nticks": 6},
        y=ROW,
    )


def _trust_tile(scores: LitmusScores, colour: str) -> Tile:
    """Competency and reliability on their scale from 0 to 1, with the threshold below which a score says little."""
    competency, reliability = scores.competency.mean, scores.reliability
    rows = [
        ("competency", competency, competency, "circle", 0.4),
        ("reliability", reliability, scores.steadiness[0] if scores.steadiness else reliability, "square-open", -0.4),
    ]
    return Tile(
        title=f"competency {share(competency)}, reliability {share(reliability)}",
        x_title="0 ← ● competency, □ reliability → 1",
        traces=[
            _upright(LEAST_COMPETENCY),
            *(
                _trust_dot(name, value, least < LEAST_COMPETENCY, symbol, row, colour)
                for name, value, least, symbol, row in rows
                if value is not None and least is not None
            ),
        ],
        x={"range": [-0.04, 1.04], "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]},
        y=ROW,
    )


def _trust_dot(name: str, value: float, is_low: bool, symbol: str, row: float, colour: str) -> Trace:
    shade = theme.WARN if is_low else colour
    return theme.dots(
        [value], [row], "", shade, showlegend=False, customdata=[""],
        hovertext=[f"{name} {value:.2f}{', low' if is_low else ''}"],
        marker={"color": shade, "size": 9, "symbol": symbol, "line": {"color": shade, "width": 1.5}},
    )  # fmt: skip


def _upright(x: float) -> Trace:
    """A dashed line through the row at a value."""
    return theme.reference([x, x], [-1, 1], "", showlegend=False)


ROW: dict[str, Any] = {"range": [-1, 1], "showticklabels": False, "showgrid": False}
"""Options of the y axis of a tile with one row."""
NO_RUNS = "No run of this agent has finished yet."
HEIGHT = 210
LEAST_SPAN = 12 * 3_600_000
"""Milliseconds before the first and after the last launch, so that runs of one launch are not stretched over the panel."""


def over_time_figure(runs: Sequence[ScoredRun], link: Callable[[int], str]) -> PlotlyFigure:
    """The scores of runs over time; litmus tests have a panel of their own. Each environment has one colour.

    link: returns the address of a run by its id
    """
    litmus = [run for run in runs if run.environment not in BENCHMARKS and run.variant == "main"]
    kinds = (
        ("score, points of 100", 100, [run for run in runs if run.environment in BENCHMARKS]),
        ("litmus score of the main prompt; of patience the rate a year", 1, litmus),
    )
    times = [run.launched.timestamp() * 1000 for _, _, panel_runs in kinds for run in panel_runs]
    if not times:
        return theme.empty_figure(NO_RUNS)
    air = max(LEAST_SPAN, 0.04 * (max(times) - min(times)))
    span = [min(times) - air, max(times) + air]
    tiles = [_tile(title, whole, panel_runs, span, link) for title, whole, panel_runs in kinds if panel_runs]
    description = f"Scores of {counted(len(times), 'finished run,finished runs')} by the time of their launch."
    figure = grid_figure(tiles, columns=len(tiles), height=HEIGHT, description=description, select="url")
    # Plotly leaves out the legend of a single trace.
    figure["layout"]["showlegend"] = True
    return theme.with_legend_room(figure, 900)


def _tile(title: str, whole: int, runs: Sequence[ScoredRun], span: list[float], link: Callable[[int], str]) -> Tile:
    """A panel of runs. whole: the best score"""
    traces = [
        _dots(name, whole, [run for run in runs if run.environment == name], link)
        for name in sorted({run.environment for run in runs}, key=environment_order)
    ]
    low, high = theme.padded([value for trace in traces for value in trace["y"]])
    bounds = [min(low, -0.04 * whole), max(high, 1.04 * whole)]
    return Tile(title, "launched", traces, {"type": "date", "range": span, "nticks": 6}, {"range": bounds, "nticks": 6})


def _dots(environment: str, whole: int, runs: Sequence[ScoredRun], link: Callable[[int], str]) -> Trace:
    title = environment_title(environment)
    return theme.dots(
        [run.launched.timestamp() * 1000 for run in runs],
        [whole * run.score for run in runs],
        title,
        theme.PALETTE[environment_order(environment) % len(theme.PALETTE)],
        size=7,
        opacity=0.75,
        cliponaxis=True,
        hovertext=[
            f"run {run.run_id}, {game_title(environment, run.difficulty)}, seed {run.seed}: "
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
    low, high = theme.padded(points)
    last = scored[-1].round.number
    tile = Tile(
        "score, points of 100",
        "round",
        [*_baselines(scored), dots, means],
        {"range": [0.5, last + 0.5], "tickformat": "d", "nticks": min(last + 1, 12)},
        {"range": [min(low, -4), max(high, 104)], "nticks": 6},
    )
    description = f"Scores of {counted(len(scored), 'round,rounds')} of a watch for drift."
    figure = grid_figure([tile], columns=1, height=ROUNDS_HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, 900)


def _baselines(rows: Sequence[RoundRow]) -> list[Trace]:
    """A line for each baseline at the mean of its rounds, up to the last round that is compared with it."""
    baselines = [[row for row in rows if row.round.baseline == n] for n in sorted({row.round.baseline for row in rows})]
    scores = [[row.score for row in group if row.round.in_baseline and row.score is not None] for group in baselines]
    lines = [(group, sum(own) / len(own)) for group, own in zip(baselines, scores, strict=True) if own]
    return [
        theme.reference(
            [group[0].round.number - 0.4, group[-1].round.number + 0.4], [level, level], "mean of the baseline",
            showlegend=index == 0,
        )
        for index, (group, level) in enumerate(lines)
    ]  # fmt: skip
