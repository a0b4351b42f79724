"""Scores of single runs by agent, with a panel for each difficulty."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.benchmark.table import cell_summary
from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.theme import PlotlyFigure, Trace
from analysis.records import RunRecord
from infrastructure.text.formats import counted

NO_RUNS = "No run of this environment has finished yet."
ROW, LEAST = 36, 3
"""Pixels of an agent's row, and the minimum number of rows."""
BIN = 1.5
"""Dots within this many points of each other are moved apart vertically."""
STEP, FARTHEST = 0.14, 0.4
BETWEEN = 0.035
NARROW_GAP = 44
TOP = 26
"""Pixels above the panels; there is no legend."""


def strip_figure(
    records: Sequence[RunRecord],
    difficulties: Sequence[str],
    agents: Sequence[int],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
) -> PlotlyFigure:
    """Each dot is one finished run, each row an agent in the order of `agents`; a bar marks the mean over instances.

    `link` gives the address of a run by its id.
    """
    scored = [record for record in records if record.is_scored]
    present = {record.agent_id: record.agent_name for record in scored}
    order = [agent for agent in agents if agent in present]
    if not order:
        return theme.empty_figure(NO_RUNS)
    names = [present[agent] for agent in order]
    groups: dict[tuple[int, str], list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.agent_id, record.difficulty].append(record)
    data: list[Trace] = []
    for place, difficulty in enumerate(difficulties):
        suffix = "" if place == 0 else str(place + 1)
        for row, agent in enumerate(order):
            traces = _row(row, groups[agent, difficulty], styles[agent], link)
            data += [trace | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"} for trace in traces]
        best = theme.reference([100, 100], [-0.5, len(order) - 0.5], "best possible", showlegend=False)
        data.append(best | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"})
    lowest = min(0.0, *(100 * (record.score or 0.0) for record in scored))
    rows = max(len(order), LEAST)
    layout = _wide(difficulties, names, lowest, rows)
    height = rows * ROW + TOP + theme.MARGIN["b"]
    figure = theme.figure(data, layout, description=_description(scored, names), height=height, select="url")
    figure["layout"]["margin"]["t"] = TOP
    figure["layout"]["margin"]["l"] = 22 + round(6.3 * max(len(theme.plain(name, 26)) for name in names))
    figure["layout"]["meta"]["narrow"] = _narrow(difficulties, names, rows)
    return figure


def _row(row: int, records: Sequence[RunRecord], style: AgentStyle, link: Callable[[int], str]) -> list[Trace]:
    runs = sorted((record for record in records if record.is_scored), key=lambda record: record.score or 0.0)
    if not runs:
        return []
    scores = [100 * (run.score or 0.0) for run in runs]
    texts = [
        f"{theme.plain(run.agent_name, 60)}, seed {run.seed}: {score:.1f}{', solved' if run.solved else ''}"
        for run, score in zip(runs, scores, strict=True)
    ]
    played = theme.dots(
        scores, [row + offset for offset in offsets(scores)], "", style.colour, marker=style.marker(0.75), showlegend=False,
        hovertext=texts, customdata=[link(run.run_id) for run in runs],
    )  # fmt: skip
    return [theme.mean_bar(100 * (cell_summary(records).mean or 0.0), row), played]


def offsets(scores: Sequence[float]) -> list[float]:
    """Vertical offset of each ascending score from its row, in rows: 0, down, up, farther down, …"""
    result: list[float] = []
    for crowd in _crowds(scores):
        step = min(STEP, FARTHEST / max(1, len(crowd) // 2))
        result += [(1 if place % 2 else -1) * step * ((place + 1) // 2) for place in range(len(crowd))]
    return result


def _crowds(scores: Sequence[float]) -> list[list[float]]:
    """Groups of ascending scores whose dots would overlap."""
    crowds: list[list[float]] = []
    for score in scores:
        if crowds and score - crowds[-1][0] <= BIN:
            crowds[-1].append(score)
        else:
            crowds.append([score])
    return crowds


def _wide(difficulties: Sequence[str], names: Sequence[str], lowest: float, rows: int) -> dict[str, Any]:
    """Panels side by side."""
    count = len(difficulties)
    width = (1 - BETWEEN * (count - 1)) / count
    layout: dict[str, Any] = {"hovermode": "closest", "hoverdistance": 12, "annotations": []}
    for place, difficulty in enumerate(difficulties):
        suffix = "" if place == 0 else str(place + 1)
        left = place * (width + BETWEEN)
        layout[f"xaxis{suffix}"] = theme.x_axis(
            domain=[left, min(left + width, 1.0)], anchor=f"y{suffix}", range=[lowest - 4, 104],
            tickvals=[tick for tick in (-100, -50, 0, 50, 100) if tick >= lowest - 4],
        )  # fmt: skip
        layout[f"yaxis{suffix}"] = theme.y_axis(
            domain=[0, 1], anchor=f"x{suffix}", range=[rows - 0.5, -0.5], showticklabels=place == 0,
            tickmode="array", tickvals=list(range(len(names))), ticktext=[theme.plain(name, 26) for name in names],
        )  # fmt: skip
        if place == 0:
            layout["yaxis"]["tickfont"] = {"size": 12, "color": theme.INK}
        layout["annotations"].append(theme.annotation(f"{difficulty}, score", left, 1, yshift=4))
    return layout


def _narrow(difficulties: Sequence[str], names: Sequence[str], rows: int) -> dict[str, Any]:
    """Panels one above the other, for a small screen."""
    count = len(difficulties)
    inner = count * rows * ROW + (count - 1) * NARROW_GAP
    labels = [theme.plain(name, 16) for name in names]
    patch: dict[str, Any] = {
        "height": inner + TOP + theme.MARGIN["b"],
        "margin": {"l": 18 + round(6.3 * max(map(len, labels))), "r": 10},
        "annotations": [],
    }
    top = inner
    for place, difficulty in enumerate(difficulties):
        suffix = "" if place == 0 else str(place + 1)
        domain = [max((top - rows * ROW) / inner, 0.0), top / inner]
        patch[f"xaxis{suffix}"] = {"domain": [0, 1]}
        patch[f"yaxis{suffix}"] = {
            "domain": domain,
            "showticklabels": True,
            "ticktext": labels,
            "tickfont": {"size": 12, "color": theme.INK},
        }
        patch["annotations"].append(theme.annotation(f"{difficulty}, score", 0, domain[1], yshift=4))
        top -= rows * ROW + NARROW_GAP
    return patch


def _description(scored: Sequence[RunRecord], names: Sequence[str]) -> str:
    values = [100 * (record.score or 0.0) for record in scored]
    return (
        f"Scores of {counted(len(scored), 'finished run,finished runs')} by "
        f"{', '.join(map(theme.plain, names[:12]))}{' and others' if len(names) > 12 else ''}, "
        f"from {min(values):.1f} to {max(values):.1f} points. The table above has their means."
    )
