"""Scores of single runs by agent, with a panel for each difficulty."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.base.table import RunRecord
from analysis.benchmark.table import cell_summary
from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.theme import PlotlyFigure, Trace
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
FRAME = TOP + theme.MARGIN["b"]


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
        for row, agent in enumerate(order):
            data += theme.on_axes(_row(row, groups[agent, difficulty], styles[agent], link), place)
        best = theme.reference([100, 100], [-0.5, len(order) - 0.5], "best possible", showlegend=False)
        data += theme.on_axes([best], place)
    rows = max(len(order), LEAST)
    values = [100 * (record.score or 0.0) for record in scored]
    told = (
        f"Scores of {counted(len(scored), 'finished run,finished runs')} by "
        f"{', '.join(map(theme.plain, names[:12]))}{' and others' if len(names) > 12 else ''}, "
        f"from {min(values):.1f} to {max(values):.1f} points. The table above has their means."
    )
    layout, narrow = _layouts(difficulties, names, min(0.0, *values), rows)
    figure = theme.figure(data, layout, description=told, height=rows * ROW + FRAME, select="url", narrow=narrow)
    figure["layout"]["margin"] |= {"t": TOP, "l": _label_room(names, 26) + 22}
    return figure


def _label_room(names: Sequence[str], limit: int) -> int:
    """Pixels of the longest name, shortened to the limit."""
    return round(6.3 * max(len(theme.plain(name, limit)) for name in names))


def _row(row: int, records: Sequence[RunRecord], style: AgentStyle, link: Callable[[int], str]) -> list[Trace]:
    runs = sorted((record for record in records if record.is_scored), key=lambda record: record.score or 0.0)
    if not runs:
        return []
    scores = [100 * (run.score or 0.0) for run in runs]
    texts = [
        f"{theme.plain(run.agent_name, 60)}, seed {run.seed}: {score:.1f}{', solved' if run.solved else ''}"
        for run, score in zip(runs, scores, strict=True)
    ]
    rows = [row + offset for offset in offsets(scores)]
    targets = [link(run.run_id) for run in runs]
    played = style.dots(scores, rows, "", 0.75, showlegend=False, hovertext=texts, customdata=targets)
    return [theme.mean_bar(100 * (cell_summary(records).mean or 0.0), row), played]


def offsets(scores: Sequence[float]) -> list[float]:
    """Vertical offset of each ascending score from its row, in rows: 0, down, up, farther down, …"""
    crowds: list[list[float]] = []
    for score in scores:
        if crowds and score - crowds[-1][0] <= BIN:
            crowds[-1].append(score)
        else:
            crowds.append([score])
    result: list[float] = []
    for crowd in crowds:
        step = min(STEP, FARTHEST / max(1, len(crowd) // 2))
        result += [(1 if place % 2 else -1) * step * ((place + 1) // 2) for place in range(len(crowd))]
    return result


def _layouts(
    difficulties: Sequence[str], names: Sequence[str], lowest: float, rows: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The layout with panels side by side, and its changes for a small screen: panels one above the other."""
    count = len(difficulties)
    width = (1 - BETWEEN * (count - 1)) / count
    inner = count * rows * ROW + (count - 1) * NARROW_GAP
    wide: dict[str, Any] = {"hovermode": "closest", "hoverdistance": 12, "annotations": []}
    narrow: dict[str, Any] = {
        "height": inner + FRAME,
        "margin": {"l": _label_room(names, 16) + 18, "r": 10},
        "annotations": [],
    }
    font = {"size": 12, "color": theme.INK}
    ticks = [tick for tick in (-100, -50, 0, 50, 100) if tick >= lowest - 4]
    for place, difficulty in enumerate(difficulties):
        suffix, title = theme.suffix(place), f"{difficulty}, score"
        left, top = place * (width + BETWEEN), inner - place * (rows * ROW + NARROW_GAP)
        wide[f"xaxis{suffix}"] = theme.x_axis(
            domain=[left, min(left + width, 1.0)], anchor=f"y{suffix}", range=[lowest - 4, 104], tickvals=ticks
        )
        wide[f"yaxis{suffix}"] = theme.y_axis(
            domain=[0, 1], anchor=f"x{suffix}", range=[rows - 0.5, -0.5], showticklabels=place == 0,
            tickmode="array", tickvals=list(range(len(names))), ticktext=[theme.plain(name, 26) for name in names],
        )  # fmt: skip
        wide["annotations"].append(theme.annotation(title, left, 1, yshift=4))
        domain = [max((top - rows * ROW) / inner, 0.0), top / inner]
        labels = {"showticklabels": True, "ticktext": [theme.plain(name, 16) for name in names], "tickfont": font}
        narrow |= {f"xaxis{suffix}": {"domain": [0, 1]}, f"yaxis{suffix}": {"domain": domain, **labels}}
        narrow["annotations"].append(theme.annotation(title, 0, domain[1], yshift=4))
    wide["yaxis"]["tickfont"] = font
    return wide, narrow
