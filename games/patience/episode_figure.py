"""Figures of a patience run: choices by horizon with the best-fit rate; also the competency and the name experiment."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from environments.base import Instance, Outcome
from environments.patience.cells import Horizon, horizons
from environments.patience.economics import indifference_amount
from environments.patience.measures import litmus_metrics, name_metrics
from games.overlay import RunPath
from games.patience.names_figure import NameScores, name_strip
from games.quality import quality_overlay
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

NO_RUNS = "No run of patience versus impatience under the main prompt has finished yet."
NO_CURVE = "These runs have not asked enough for a curve yet."
TILE = 170
Target = Callable[[str, float], object]
"""Function that maps a horizon and an amount to the target of a click on the dot: the index of a period, or a URL."""


def patience_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Choice curves of a run; for the competency prompts right answers by rate, for name prompts rates by name."""
    actions = [outcome.action for outcome in outcomes]
    asked_horizons = horizons(instance.parameters)
    if "rate" in actions[0]:
        return _competency_figure(asked_horizons, outcomes, colour)
    if "name" in actions[0]:
        by_name = name_metrics(asked_horizons, actions)["by_name"]
        opened = {outcome.action["name"]: outcome.period for outcome in reversed(outcomes)}
        rates = {name: row["rate"] for name, row in by_name.items()}
        return name_strip([NameScores("", rates, None, colour, opened, None)], select="period")
    periods_of = {(outcome.action["horizon"], outcome.action["amount"]): outcome.period for outcome in outcomes}
    measured = litmus_metrics(asked_horizons, actions)["by_horizon"]
    return choice_curves(
        asked_horizons, measured, colour, lambda label, amount: periods_of.get((label, amount)), select="period"
    )


def choice_curves(
    asked_horizons: Sequence[Horizon],
    measured: Mapping[str, Any],
    colour: str,
    target: Target,
    *,
    select: str,
    player: str = "",
) -> PlotlyFigure:
    """One panel for each horizon: the share of later choices by amount, the dashed best-fit step, and the shaded difference.

    measured: the metric `by_horizon` of `litmus_metrics`
    player: the agent and its run, if the page shows runs of several agents
    """
    tiles = [
        _curve_tile(horizon, measured[horizon.label], colour, target, player)
        for horizon in asked_horizons
        if measured.get(horizon.label, {}).get("curve")
    ]
    if not tiles:
        return theme.empty_figure(NO_RUNS)
    sentences = [f"{h.label}: {_verdict(measured[h.label])}." for h in asked_horizons if h.label in measured]
    return grid_figure(
        tiles, columns=2, height=TILE, description=f"Choice curves. {' '.join(sentences)}", select=select
    )


def patience_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """The choice curves of all runs by horizon; for other prompts the share of right answers by period."""
    if any({"rate", "name"} & set(run.outcomes[0].action) for run in runs):
        return quality_overlay(instance, runs, last)
    tiles: list[Tile] = []
    asked_horizons = horizons(instance.parameters)
    measured = [
        litmus_metrics(asked_horizons, [outcome.action for outcome in run.outcomes])["by_horizon"] for run in runs
    ]
    for horizon in asked_horizons:
        curves = [
            (run, by_horizon[horizon.label]["curve"])
            for run, by_horizon in zip(runs, measured, strict=True)
            if by_horizon.get(horizon.label, {}).get("curve")
        ]
        if curves:
            traces = [_overlaid_curve(run, horizon, curve) | {"showlegend": not tiles} for run, curve in curves]
            tiles.append(_tile(f"{horizon.label}: chose later, %", horizon, traces))
    if not tiles:
        return theme.empty_figure(NO_CURVE)
    description = f"Choice curves by horizon. Runs: {'; '.join(run.name for run in runs)}."
    return grid_figure(tiles, columns=2, height=TILE, description=description, select="url")


def _overlaid_curve(run: RunPath, horizon: Horizon, curve: Sequence[tuple[float, float]]) -> Trace:
    periods = {outcome.action["amount"]: outcome.period for outcome in run.outcomes
               if outcome.action["horizon"] == horizon.label}  # fmt: skip
    x, y = zip(*curve, strict=True)
    texts = [
        f"{run.name}, period {periods[amount]}: {share:.0%} chose ${horizon.dollars(amount)} in {horizon.label}"
        for amount, share in curve
    ]
    return run.curve(x, y, texts, [run.link(periods[amount]) for amount in x])


def _curve_tile(horizon: Horizon, measured: Mapping[str, Any], colour: str, target: Target, player: str) -> Tile:
    x, f = zip(*measured["curve"], strict=True)
    # If only a bound of the rate is known, draw the step at that end of the tested amounts.
    if measured["rate"] is None:
        step = {"below": x[0], "above": x[-1]}.get(measured["bound"].partition(" ")[0])
    else:
        step = min(max(float(indifference_amount(measured["rate"], horizon.years)), x[0]), x[-1])
    periods = [target(horizon.label, amount) for amount in x]
    texts = [
        f"{f'{theme.plain(player, 60)}: ' if player else ''}${horizon.dollars(amount)} in {horizon.label}: "
        f"{share:.0%} chose later{f', from period {period}' if isinstance(period, int) else ''}"
        for (amount, share), period in zip(measured["curve"], periods, strict=True)
    ]
    curve = theme.line(
        x, f, "", colour, mode="lines+markers", showlegend=False, hovertext=texts,
        line={"color": colour, "width": 1.5}, marker={"color": colour, "size": 4}, customdata=periods,
    )  # fmt: skip
    if all(isinstance(period, int) for period in periods):
        curve["meta"] = {"mark": True, "periods": periods}
    traces = [curve] if step is None else [*_step(x, f, step, colour), curve]
    return _tile(f"{horizon.label}: chose later, % · {_verdict(measured)}", horizon, traces)


def _tile(title: str, horizon: Horizon, traces: Sequence[Trace]) -> Tile:
    return Tile(
        title=title,
        x_title="$ offered later, against $100 now",
        traces=traces,
        x={
            "range": list(theme.padded([horizon.amounts[0], horizon.amounts[-1]], 0.03)),
            "tickprefix": "$",
            "nticks": 6,
        },
        y={"range": [-0.06, 1.06], "tickformat": ".0%", "tickvals": [0, 0.5, 1]},
    )


def _verdict(measured: Mapping[str, Any]) -> str:
    """Describe the rate of a horizon, such as '4.9 % a year, reliability 0.97'."""
    if measured["reliability"] is None:
        return "too few answers yet"
    rate = f"{100 * measured['rate']:.1f} % a year" if measured["rate"] is not None else measured["bound"] or "no rate"
    invalid = f", {measured['invalid']:,} invalid" if measured["invalid"] else ""
    return f"{rate}, reliability {measured['reliability']:.2f}{invalid}"


def _step(x: Sequence[float], f: Sequence[float], step: float, colour: str) -> list[Trace]:
    """The best-fit step from 0 to 1, and the area between step and curve. Reliability is 1 minus that area."""
    at = float(np.interp(step, x, f))
    below = [(a, b) for a, b in zip(x, f, strict=True) if a < step]
    above = [(a, b) for a, b in zip(x, f, strict=True) if a > step]
    area: list[tuple[float | None, float | None]] = [(x[0], 0.0), *below, (step, at), (step, 0.0)]
    area += [(None, None), (step, 1.0), (step, at), *above, (x[-1], 1.0)]
    shaded = theme.line(
        [a for a, _ in area], [b for _, b in area], "", colour, fill="toself", fillcolor=colour, opacity=0.16,
        line={"width": 0}, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    dashed = {"color": theme.SOFT, "width": 1.25, "dash": "4px,3px"}
    return [shaded, theme.reference([x[0], step, step, x[-1]], [0, 0, 1, 1], "", showlegend=False, line=dashed)]


def _competency_figure(asked_horizons: Sequence[Horizon], outcomes: Sequence[Outcome], colour: str) -> PlotlyFigure:
    """One dot for each rate and horizon: all, some or no answers are right at the rate in the prompt."""
    labels = [horizon.label for horizon in asked_horizons]
    groups: dict[tuple[int, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.action["rate"], outcome.action["horizon"]].append(outcome)
    looks = {
        "all right": (colour, "circle", 0),
        "some right": (theme.WARN, "circle-open", 2),
        "none right": (theme.BAD, "x-thin", 2),
    }
    points: dict[str, list[tuple[Any, ...]]] = {name: [] for name in looks}
    for (rate, label), group in groups.items():
        right, valid = _count_right(group)
        name = "all right" if right == valid and valid else "some right" if right else "none right"
        text = f"{label} at {rate} %: {right} of {valid} valid answers follow the rate, from period {group[0].period}"
        points[name].append((rate, labels.index(label), text, group[0].period))
    traces = []
    for name, (shade, symbol, width) in looks.items():
        x, y, texts, periods = ([point[part] for point in points[name]] for part in range(4))
        dots = theme.dots(x, y, name, shade, size=9, symbol=symbol, hovertext=texts, customdata=periods)
        dots["marker"]["line"] = {"color": shade, "width": width}
        traces.append(dots)
    rows = {"range": [len(labels) - 0.5, -0.5], "tickvals": list(range(len(labels))), "ticktext": labels}
    tile = Tile(
        title="answers by horizon",
        x_title="rate named in the prompt, % a year",
        traces=traces,
        x={"range": [0.2, 20.8], "dtick": 2, "tick0": 0},
        y=rows | {"showgrid": False},
    )
    right, valid = _count_right(outcomes)
    description = f"{right} of {valid} valid answers follow the rate that the prompt names."
    return grid_figure(
        [tile], columns=1, height=40 * len(labels) + 30, description=description, left=72, select="period"
    )


def _count_right(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """The number of answers that are right at the rate, and the number of valid answers."""
    right = sum(outcome.result["correct"] for outcome in outcomes)
    return right, sum(outcome.action["later"] + outcome.action["now"] for outcome in outcomes)
