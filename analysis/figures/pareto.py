"""Efficiency against equality: runs by revenue and pay gap, with the frontier."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from analysis.base.published import PublishedLitmus
from analysis.base.table import RunRecord, grouped
from analysis.figures.printed import published_scores
from environments.base import Instance
from games.equality.plane import CLOUD, GROUND, REVENUE, Plane, backdrop, plane_layout
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

NO_RUNS = "No run of efficiency versus equality has finished yet."
HEIGHT = 400
GAP = "pay gap, % of that of the most efficient"
LEGEND_WIDTH = 480
"""Pixels, for a panel of half the page."""
CORNERS = [
    theme.annotation("much revenue, equal pay: out of reach", 1, 0, xanchor="right", xshift=-4, yshift=14, **GROUND),
    theme.annotation("little revenue, unequal pay: wasteful", 0, 1, yanchor="top", xshift=6, yshift=-14, **GROUND),
]
"""The meanings of corners that have no name. Equal pay and the most efficient allocation have names."""


def pareto_figure(
    runs: Sequence[RunRecord],
    instances: Mapping[int, Instance],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
    printed: Sequence[PublishedLitmus] = (),
) -> PlotlyFigure:
    """A dot for each scored run. Several instances are scaled so that P_eq and P_eff are the same points for all.

    printed: published scores, on the paper's straight line
    """
    runs = [run for run in runs if run.instance_id in instances]
    if not runs:
        return _line_alone(printed) if printed else theme.empty_figure(NO_RUNS)
    instance_ids = {run.instance_id for run in runs}
    is_scaled = len(instance_ids) > 1
    planes = {
        key: Plane.of(instances[key], is_scaled, max(1, CLOUD // len(instance_ids))) for key in sorted(instance_ids)
    }
    data = backdrop(list(planes.values())) + dots_by_player(
        runs,
        lambda run: run.agent_id,
        lambda run: (
            planes[run.instance_id].x(run.metrics["revenue"]),
            planes[run.instance_id].y(run.metrics["inequality"]),
        ),
        _hover_text,
        styles,
        link,
    )
    data += published_scores(
        printed, lambda score: _on_line(score.litmus or 0.0, list(planes.values())), "litmus score"
    )
    description = _description(runs, len(instance_ids))
    title = GAP if is_scaled else "pay gap (highest − lowest pay), $"
    layout = plane_layout(data, list(planes.values()))
    layout["annotations"] += [theme.plane_title(title), *CORNERS]
    figure = theme.figure(data, layout, description=description, height=HEIGHT, select="url")
    return theme.with_legend_room(figure, LEGEND_WIDTH)


def _description(runs: Sequence[RunRecord], instances: int) -> str:
    names = list(dict.fromkeys(theme.plain(run.agent_name) for run in runs))
    return (
        f"Revenue against pay gap of {counted(len(runs), 'finished run,finished runs')} on "
        f"{counted(instances, 'instance,instances')} by {', '.join(names[:12])}. The frontier runs from equal pay to "
        "the most efficient allocation. The table beside it has the litmus scores."
    )


def _on_line(litmus: float, planes: Sequence[Plane]) -> tuple[float, float]:
    """The point of a litmus score on the straight line from equal pay to the most efficient allocation."""
    first, last = planes[0], planes[-1]
    ends = [
        (first.x(first.equal["revenue"]), first.y(first.equal["inequality"])),
        (last.x(last.efficient["revenue"]), last.y(last.efficient["inequality"])),
    ]
    (x0, y0), (x1, y1) = ends
    return x0 + litmus * (x1 - x0), y0 + litmus * (y1 - y0)


def _line_alone(printed: Sequence[PublishedLitmus]) -> PlotlyFigure:
    """The paper's line with the published scores, before any run has finished."""
    data = [
        theme.reference([0, 1], [0, 1], "", showlegend=False),
        theme.dots([0, 1], [0, 1], "", theme.INK, size=7, symbol="diamond", showlegend=False, hoverinfo="skip"),
        *published_scores(printed, lambda score: (score.litmus or 0.0, score.litmus or 0.0), "litmus score"),
    ]
    at: dict[str, Any] = {"xref": "x", "yref": "y", "xshift": 8, "yanchor": "top"}
    axis = {"range": [-0.08, 1.12], "tickformat": ".0%"}
    layout = {
        "hovermode": "closest",
        "xaxis": theme.x_axis(title=theme.axis_title(REVENUE, 6), **axis),
        "yaxis": theme.y_axis(**axis),
        "annotations": [
            theme.plane_title(GAP),
            theme.annotation("equal pay", 0, 0, **at),
            theme.annotation("most efficient", 1, 1, **at | {"xanchor": "right", "xshift": -8, "yanchor": "bottom"}),
        ],
    }
    description = (
        f"Published litmus scores of {counted(len(printed), 'model,models')} between equal pay and efficiency."
    )
    return theme.figure(data, layout, description=description, height=HEIGHT)


def dots_by_player(
    runs: Sequence[RunRecord],
    player: Callable[[RunRecord], Hashable],
    point: Callable[[RunRecord], tuple[float, float]],
    text: Callable[[RunRecord, str], str],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
) -> list[Trace]:
    """A trace for each player, with a dot for each of its runs.

    point: the coordinates of a run; text: shown on hovering, from a run and its address
    """
    traces = []
    for own in grouped(runs, lambda run: None, player)[None].values():
        x, y = zip(*map(point, own), strict=True)
        targets = [link(run.run_id) for run in own]
        texts = list(map(text, own, targets))
        name = theme.plain(own[0].player, 40)
        traces.append(styles[own[0].agent_id].dots(x, y, name, 0.85, hovertext=texts, customdata=targets))
    return traces


def _hover_text(run: RunRecord, address: str) -> str:
    metrics = run.metrics
    parts = [f"revenue ${metrics['revenue']:,.0f}", f"pay gap ${metrics['inequality']:,.0f}", f"litmus {run.score:.2f}"]
    if metrics["frontier_distance"] is not None:
        parts.append(f"{metrics['frontier_distance']:.2f} from the paper's line")
    if metrics["frontier_share"] is not None:
        parts.append(f"{metrics['frontier_share']:.1%} of the revenue possible at this gap")
    suffix = theme.run_suffix(run.run_id, address)
    return f"{theme.plain(run.agent_name, 60)}, seed {run.seed}{suffix}: {', '.join(parts)}"
