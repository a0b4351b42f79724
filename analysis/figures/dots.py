"""Scores of runs as dots: single runs by agent, or two agents on the same instances with a line between their scores."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.base.matching import Side
from analysis.benchmark.table import BenchmarkTable, Row, ScoredRun, ScoredRuns
from analysis.comparing.comparison import Comparison
from environments.generation import difficulty_title
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span
from stats.summaries import Summary

NO_PAIRS = "No instance that fits the filters was finished by both agents."
PAIRS_ROW, PAIRS_FRAME = 24, 96
"""Height in pixels of an instance's row, and of everything around the rows."""


def dumbbell_figure(
    comparison: Comparison, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A row for each instance that both agents finished, with the largest gain of the second agent on top.

    link: returns the address of a run by its id
    """
    pairs = sorted(comparison.pairs, key=lambda match: -match.difference)
    if not pairs:
        return theme.empty_figure(NO_PAIRS)
    agents = comparison.agents
    by_agent = {
        (agents.first_id, agents.first): [match.first for match in pairs if match.first],
        (agents.second_id, agents.second): [match.second for match in pairs if match.second],
    }
    rows = list(range(len(pairs)))
    x = [value for first, second in zip(*by_agent.values(), strict=True) for value in (first.score, second.score, None)]
    y = [value for row in rows for value in (row, row, None)]
    joined = theme.line(x, y, "", theme.LINE, line={"color": theme.LINE, "width": 4}, **QUIET)
    titles = [match.title for match in pairs]
    dots = [
        styles[agent_id].dots(
            [side.score for side in sides], rows, name, 1,
            hovertext=[_hover_text(name, title, side, link(side.run_id)) for title, side in zip(titles, sides, strict=True)],
            customdata=[link(side.run_id) for side in sides],
        )
        for (agent_id, name), sides in by_agent.items()
    ]  # fmt: skip
    higher = sum(match.difference > 0 for match in pairs)
    description = (
        f"Scores of {theme.plain(agents.first)} and {theme.plain(agents.second)} on "
        f"{counted(len(pairs), 'instance,instances')}; the second scores more on {higher:,} of them."
    )
    height = len(pairs) * PAIRS_ROW + PAIRS_FRAME
    figure = theme.figure([joined, *dots], _layout(x, titles), description=description, height=height, select="url")
    for layout in (figure["layout"], figure["layout"]["meta"]["narrow"]):
        layout["margin"] = layout["margin"] | {"l": 24 + round(6.3 * max(map(len, titles)))}
    return figure


def _layout(scores: Sequence[float | None], titles: Sequence[str]) -> dict[str, Any]:
    numbers = [score for score in scores if score is not None]
    span = [min(0.0, *numbers) - 4, max(100.0, *numbers) + 4]
    rows = {"tickvals": list(range(len(titles))), "ticktext": [theme.plain(title, 18) for title in titles]}
    return {
        "hovermode": "closest",
        "xaxis": theme.x_axis(range=span, title=theme.axis_title("score, points", 8)),
        "yaxis": theme.y_axis(range=[len(titles) - 0.5, -0.5], tickmode="array", **rows),
    }


def _hover_text(name: str, title: str, side: Side, address: str) -> str:
    runs = f", mean of {side.runs} runs" if side.runs > 1 else theme.run_suffix(side.run_id, address)
    return f"{theme.plain(name, 60)}, {title}{runs}: {side.score:.1f} points"


NO_RUNS = "No run of this environment has finished yet."
ROW = 36
"""Pixels of an agent's row."""
BETWEEN = 0.035
NARROW_GAP = 44
QUIET: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
TOP = 26
"""Pixels above the panels; there is no legend."""
FRAME = TOP + theme.MARGIN["b"]


def strip_figure(
    table: BenchmarkTable, runs: ScoredRuns, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """Scores of single runs: a dot for each finished run, a row for each agent.

    A bar marks the mean, a line its 95 % interval.

    table: one environment, a panel for each difficulty with finished runs
    link: returns the address of a run by its id, empty if the run has none
    """
    rows = [row for row in table.rows if row.agent_id is not None and row.means]
    if not rows:
        return theme.empty_figure(NO_RUNS)
    best = theme.reference([100, 100], [-0.5, len(rows) - 0.5], "best possible", showlegend=False)
    cells_by_column = zip(table.columns, zip(*(row.cells for row in rows), strict=True), strict=True)
    panels = {
        f"{difficulty_title(column.difficulty)}, score in points": [
            *(
                trace
                for number, (row, cell) in enumerate(zip(rows, cells, strict=True))
                for trace in _row(number, row, cell, runs.dots.get((row.agent_id or 0, column.difficulty), []), styles, link)
            ),
            best,
        ]
        for column, cells in cells_by_column
        if any(cell and cell.n for cell in cells)
    }  # fmt: skip
    names = [row.name for row in rows]
    low, high = 100 * runs.low, 100 * runs.high
    return rows_of_dots(
        panels,
        names,
        low,
        description=(
            f"Scores of {counted(runs.total, 'finished run,finished runs')} by "
            f"{', '.join(map(theme.plain, names[:12]))}{' and others' if len(names) > 12 else ''}, "
            f"{span((low, high), '{:.1f}'.format)} points. The table above has their means."
        ),
        select="url",
    )


def _row(
    number: int,
    row: Row,
    cell: Summary | None,
    runs: Sequence[ScoredRun],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
) -> list[Trace]:
    """The interval, the mean and the runs of an agent in a panel; empty if it has no mean there."""
    if cell is None or cell.mean is None or row.agent_id is None:
        return []
    scores, targets = [100 * run.score for run in runs], [link(run.run_id) for run in runs]
    agent = theme.plain(row.name, 60)
    ends = [100 * end for end in cell.interval or ()]
    interval = theme.line(ends, [number, number], "", theme.INK, line={"width": 1.5, "color": theme.INK}, **QUIET)
    dots = styles[row.agent_id].dots(
        scores, [number + offset for offset in offsets(scores)], "", 0.75, showlegend=False, customdata=targets,
        hovertext=[
            f"{agent}, seed {run.seed}{theme.run_suffix(run.run_id, url)}: {score:.1f} points"
            f"{', solved' if run.solved else ''}"
            for run, score, url in zip(runs, scores, targets, strict=True)
        ],
    )  # fmt: skip
    return [*([interval] if ends else []), theme.mean_bar(100 * cell.mean, number), dots]


def rows_of_dots(
    panels: Mapping[str, Sequence[Trace]], names: Sequence[str], lowest: float, description: str, **meta: Any
) -> PlotlyFigure:
    """A figure with a row for each name, the best score at 100.

    panels: traces of each panel, by its title; lowest: the lowest score in points
    meta: see `theme.figure`
    """
    rows = len(names)
    layout, narrow = _layouts(list(panels), names, min(0.0, lowest), rows)
    data = [trace for index, traces in enumerate(panels.values()) for trace in theme.on_axes(traces, index)]
    figure = theme.figure(data, layout, description=description, height=rows * ROW + FRAME, narrow=narrow, **meta)
    figure["layout"]["margin"] |= {"t": TOP, "l": label_room(names, 26) + 22}
    return figure


def label_room(names: Sequence[str], limit: int) -> int:
    """The width in pixels of the longest name, with names shortened to `limit`."""
    return round(6.3 * max(len(theme.plain(name, limit)) for name in names))


def _layouts(
    titles: Sequence[str], names: Sequence[str], lowest: float, rows: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The layout with panels side by side, and the changes for a small screen, which stacks them.

    titles: titles of the panels; names: names of the rows; lowest: the lowest score in points
    """
    count = len(titles)
    width = (1 - BETWEEN * (count - 1)) / count
    inner = count * rows * ROW + (count - 1) * NARROW_GAP
    wide: dict[str, Any] = {"hovermode": "closest", "hoverdistance": 12, "annotations": []}
    narrow: dict[str, Any] = {
        "height": inner + FRAME,
        "margin": {"l": label_room(names, 16) + 18, "r": 10},
        "annotations": [],
    }
    font = {"size": 12, "color": theme.INK}
    ticks = [tick for tick in (-100, -50, 0, 50, 100) if tick >= lowest - 4]
    for index, title in enumerate(titles):
        suffix = theme.suffix(index)
        left, top = index * (width + BETWEEN), inner - index * (rows * ROW + NARROW_GAP)
        wide[f"xaxis{suffix}"] = theme.x_axis(
            domain=[left, min(left + width, 1.0)], anchor=f"y{suffix}", range=[lowest - 4, 104], tickvals=ticks
        )
        wide[f"yaxis{suffix}"] = theme.y_axis(
            domain=[0, 1], anchor=f"x{suffix}", range=[rows - 0.5, -0.5], showticklabels=index == 0,
            tickmode="array", tickvals=list(range(len(names))), ticktext=[theme.plain(name, 26) for name in names],
        )  # fmt: skip
        wide["annotations"].append(theme.annotation(title, left, 1, yshift=4))
        domain = [max((top - rows * ROW) / inner, 0.0), top / inner]
        narrow[f"xaxis{suffix}"] = {"domain": [0, 1]}
        narrow[f"yaxis{suffix}"] = {
            "domain": domain, "showticklabels": True, "ticktext": [theme.plain(name, 16) for name in names], "tickfont": font,
        }  # fmt: skip
        narrow["annotations"].append(theme.annotation(title, 0, domain[1], yshift=4))
    wide["yaxis"]["tickfont"] = font
    return wide, narrow
