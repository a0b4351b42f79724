"""Patience: how often the later amount was chosen, with the rate that explains it best; competency and names likewise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.figures import theme
from analysis.figures.grid import Tile, grid_figure
from analysis.figures.names import NameScores, name_strip
from analysis.figures.panels import nothing_played
from analysis.figures.theme import Figure, Trace
from environments.base import Instance, Outcome
from environments.patience.cells import Horizon, horizons
from environments.patience.economics import indifference_amount
from environments.patience.measures import litmus_metrics, name_metrics

NO_RUNS = "No run of patience versus impatience under the main prompt has finished yet."
TILE = 170
Target = Callable[[str, float], object]
"""From a horizon and an amount to what a click on its dot opens: a period's number, or an address."""


def patience_figure(instance: Instance, outcomes: Sequence[Outcome], periods: int, colour: str) -> Figure:
    """Choice curves so far; under the competency prompts right answers by rate, under the name prompts rates by name."""
    if not outcomes:
        return nothing_played()
    counts = [outcome.action for outcome in outcomes]
    asked = horizons(instance.parameters)
    if "rate" in counts[0]:
        return _competency_figure(asked, outcomes, colour)
    if "name" in counts[0]:
        return _names_figure(asked, outcomes, colour)
    periods_of = {(outcome.action["horizon"], outcome.action["amount"]): outcome.period for outcome in outcomes}
    measured = litmus_metrics(asked, counts)["by_horizon"]
    return choice_curves(
        asked, measured, colour, lambda label, amount: periods_of.get((label, amount)), select="period"
    )


def choice_curves(
    asked: Sequence[Horizon], measured: Mapping[str, Any], colour: str, target: Target, *, select: str
) -> Figure:
    """One panel a horizon: share choosing later against the amount, the best-fit step dashed, the distance shaded.

    measured: by horizon as `litmus_metrics` has it
    """
    tiles = [
        _curve_tile(horizon, measured[horizon.label], colour, target)
        for horizon in asked
        if measured.get(horizon.label, {}).get("curve")
    ]
    if not tiles:
        return theme.empty_figure(NO_RUNS)
    told = [_told(horizon.label, measured[horizon.label]) for horizon in asked if horizon.label in measured]
    return grid_figure(tiles, columns=2, height=TILE, description=f"Choice curves. {' '.join(told)}", select=select)


def _curve_tile(horizon: Horizon, measured: Mapping[str, Any], colour: str, target: Target) -> Tile:
    points: list[list[float]] = measured["curve"]
    x, f = [amount for amount, _ in points], [share for _, share in points]
    first, last = horizon.amounts[0], horizon.amounts[-1]
    traces: list[Trace] = []
    step = _fitted(horizon, measured, x)
    if step is not None:
        traces += _step(x, f, step, colour)
    texts = [f"${horizon.dollars(amount)} in {horizon.label}: {share:.0%} chose later" for amount, share in points]
    curve = theme.line(
        x, f, "", colour, mode="lines+markers", showlegend=False, hovertext=texts,
        line={"color": colour, "width": 1.5}, marker={"color": colour, "size": 4},
        customdata=[target(horizon.label, amount) for amount in x],
    )  # fmt: skip
    periods = curve["customdata"]
    if all(isinstance(period, int) for period in periods):
        curve["meta"] = {"mark": True, "periods": periods}
    traces.append(curve)
    return Tile(
        title=f"{horizon.label}: chose later, % · {_verdict(measured)}",
        x_title="$ offered later, against $100 now",
        traces=traces,
        x={"range": list(theme.padded([first, last], 0.03)), "tickprefix": "$", "nticks": 6},
        y={"range": [-0.06, 1.06], "tickformat": ".0%", "tickvals": [0, 0.5, 1]},
    )


def _fitted(horizon: Horizon, measured: Mapping[str, Any], x: Sequence[float]) -> float | None:
    """Where the best step lies; of a rate of which only a bound is known at that end of the tested amounts."""
    if measured["rate"] is None:
        return {"below": x[0], "above": x[-1]}.get(measured["bound"].partition(" ")[0])
    return min(max(float(indifference_amount(measured["rate"], horizon.years)), x[0]), x[-1])


def _verdict(measured: Mapping[str, Any]) -> str:
    """'4.9 % a year, reliability 0.97' or what is known instead."""
    if measured["reliability"] is None:
        return "too few answers yet"
    rate = f"{100 * measured['rate']:.1f} % a year" if measured["rate"] is not None else measured["bound"] or "no rate"
    invalid = f", {measured['invalid']:,} invalid" if measured["invalid"] else ""
    return f"{rate}, reliability {measured['reliability']:.2f}{invalid}"


def _told(label: str, measured: Mapping[str, Any]) -> str:
    return f"{label}: {_verdict(measured)}."


def _step(x: Sequence[float], f: Sequence[float], step: float, colour: str) -> list[Trace]:
    """The best-fit step from 0 to 1, and the area between it and the curve, which reliability takes off from 1."""
    at = _between(x, f, step)
    below = [(a, b) for a, b in zip(x, f, strict=True) if a < step]
    above = [(a, b) for a, b in zip(x, f, strict=True) if a > step]
    left = [(x[0], 0.0), *below, (step, at), (step, 0.0)]
    right = [(step, 1.0), (step, at), *above, (x[-1], 1.0)]
    area_x = [a for a, _ in left] + [None] + [a for a, _ in right]
    area_y = [b for _, b in left] + [None] + [b for _, b in right]
    shaded = theme.line(
        area_x, area_y, "", colour, fill="toself", fillcolor=colour, opacity=0.16, line={"width": 0}, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip
    fitted = theme.reference(
        [x[0], step, step, x[-1]],
        [0, 0, 1, 1],
        "",
        showlegend=False,
        line={"color": theme.SOFT, "width": 1.25, "dash": "4px,3px"},
    )
    return [shaded, fitted]


def _between(x: Sequence[float], f: Sequence[float], at: float) -> float:
    """The curve at a point, linear between the tested amounts."""
    for (a, b), (c, d) in zip(zip(x, x[1:], strict=False), zip(f, f[1:], strict=False), strict=True):
        if a <= at <= b:
            return c + (d - c) * (at - a) / (b - a) if b > a else d
    return f[-1]


def _competency_figure(asked: Sequence[Horizon], outcomes: Sequence[Outcome], colour: str) -> Figure:
    """One dot a rate and horizon: all, some or none of the answers follow the rate that the prompt names."""
    labels = [horizon.label for horizon in asked]
    groups: dict[tuple[int, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.action["rate"], outcome.action["horizon"]].append(outcome)
    kinds: dict[str, list[tuple[int, str]]] = {"all right": [], "some right": [], "none right": []}
    for key, group in groups.items():
        right, valid = _right(group)
        kinds["all right" if right == valid and valid else "some right" if right else "none right"].append(key)
    looks = {
        "all right": (colour, "circle"),
        "some right": (theme.WARN, "circle-open"),
        "none right": (theme.BAD, "x-thin"),
    }
    traces = []
    for name, keys in kinds.items():
        shade, symbol = looks[name]
        texts = []
        for rate, label in keys:
            right, valid = _right(groups[rate, label])
            texts.append(f"{label} at {rate} %: {right} of {valid} valid answers follow the rate")
        dots = theme.dots(
            [rate for rate, _ in keys], [labels.index(label) for _, label in keys], name, shade, size=9, symbol=symbol,
            hovertext=texts, customdata=[groups[key][0].period for key in keys],
        )  # fmt: skip
        dots["marker"]["line"] = {"color": shade, "width": 2 if symbol != "circle" else 0}
        traces.append(dots)
    tile = Tile(
        title="answers by horizon",
        x_title="rate named in the prompt, % a year",
        traces=traces,
        x={"range": [0.2, 20.8], "dtick": 2, "tick0": 0},
        y={
            "range": [len(labels) - 0.5, -0.5],
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "showgrid": False,
        },
    )
    right, valid = _right(outcomes)
    told = f"{right} of {valid} valid answers follow the rate that the prompt names."
    return grid_figure([tile], columns=1, height=40 * len(labels) + 30, description=told, left=72, select="period")


def _right(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    right = sum(outcome.result["correct"] for outcome in outcomes)
    return right, sum(outcome.action["later"] + outcome.action["now"] for outcome in outcomes)


def _names_figure(asked: Sequence[Horizon], outcomes: Sequence[Outcome], colour: str) -> Figure:
    by_name = name_metrics(asked, [outcome.action for outcome in outcomes])["by_name"]
    opened: dict[str, object] = {}
    for outcome in outcomes:
        opened.setdefault(outcome.action["name"], outcome.period)
    rates = {name: row["rate"] for name, row in by_name.items()}
    return name_strip([NameScores("", rates, None, colour, opened, None)], select="period")
