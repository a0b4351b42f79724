"""Efficiency against equality: runs in the plane of revenue and pay gap, with the frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from analysis.figures import theme
from analysis.figures.colours import AgentStyle
from analysis.figures.theme import PlotlyFigure, Trace
from environments.base import Instance
from environments.equality.economics import Company
from infrastructure.text.formats import counted

NO_RUNS = "No run of efficiency versus equality has finished yet."
CLOUD = 240
"""Random allocations drawn, over all instances shown."""
HEIGHT = 400
LEGEND_WIDTH = 480
"""Pixels, in a panel of half the page."""
DOLLARS, PLACES = "$~s", ".0%"


@dataclass(frozen=True)
class ParetoRun:
    """A finished run with the distances of its metrics, None if unknown."""

    run_id: int
    agent_id: int
    agent_name: str
    instance_id: int
    seed: int
    revenue: float
    inequality: float
    litmus: float | None
    frontier_distance: float | None
    frontier_share: float | None


@dataclass(frozen=True)
class Plane:
    """One instance: P_eff, P_eq and the frontier. If `is_scaled`, P_eq is at (0, 0) and P_eff at (1, 1)."""

    efficient: Mapping[str, float]
    equal: Mapping[str, float]
    frontier: Sequence[Mapping[str, float]]
    cloud: Sequence[tuple[float, float]]
    is_scaled: bool

    @classmethod
    def of(cls, instance: Instance, is_scaled: bool, cloud: int = CLOUD) -> Plane:
        reference = instance.reference
        drawn = random_allocations(Company.of(instance), cloud, instance.seed)
        return cls(reference["max_efficiency"], reference["max_equality"], reference["frontier"], drawn, is_scaled)

    def x(self, revenue: float) -> float:
        if not self.is_scaled:
            return revenue
        way = self.efficient["revenue"] - self.equal["revenue"]
        return (revenue - self.equal["revenue"]) / way if way else 0.0

    def y(self, inequality: float) -> float:
        if not self.is_scaled:
            return inequality
        way = self.efficient["inequality"] - self.equal["inequality"]
        return (inequality - self.equal["inequality"]) / way if way else 0.0


@lru_cache(maxsize=64)
def _drawn(company_key: tuple[Any, ...], count: int, seed: int) -> tuple[tuple[float, float], ...]:
    productivities, sizes, shape = company_key
    company = Company(productivities, np.array(sizes, dtype=np.int64).reshape(shape), np.zeros(shape, dtype=np.int64))
    rng = np.random.default_rng(seed)
    workers = np.tile(np.arange(shape[1]), (shape[0], 1))
    points = (company.point(rng.permuted(workers, axis=1)) for _ in range(count))
    return tuple((point.revenue, point.inequality) for point in points)


def random_allocations(company: Company, count: int, seed: int) -> tuple[tuple[float, float], ...]:
    """(revenue, pay gap) of random allocations, always the same ones for a seed."""
    key = (company.productivities, tuple(company.sizes.ravel().tolist()), company.sizes.shape)
    return _drawn(key, count, seed)


def pareto_figure(
    runs: Sequence[ParetoRun],
    instances: Mapping[int, Instance],
    styles: Mapping[int, AgentStyle],
    link: Callable[[int], str],
) -> PlotlyFigure:
    """Each dot is one run. Several instances are scaled so that P_eq and P_eff are the same two points for all."""
    runs = [run for run in runs if run.instance_id in instances]
    if not runs:
        return theme.empty_figure(NO_RUNS)
    shown = {run.instance_id for run in runs}
    is_scaled = len(shown) > 1
    planes = {key: Plane.of(instances[key], is_scaled, max(1, CLOUD // len(shown))) for key in sorted(shown)}
    data = backdrop(list(planes.values()))
    for agent in dict.fromkeys(run.agent_id for run in runs):
        own = [run for run in runs if run.agent_id == agent]
        data.append(_dots(own, planes, styles[agent], link))
    layout = plane_layout(data, is_scaled) | {"annotations": [*labels(list(planes.values())), _title(is_scaled)]}
    figure = theme.figure(data, layout, description=_description(runs, len(shown)), height=HEIGHT, select="url")
    return theme.with_legend_room(figure, LEGEND_WIDTH)


def _dots(
    runs: Sequence[ParetoRun], planes: Mapping[int, Plane], style: AgentStyle, link: Callable[[int], str]
) -> Trace:
    return theme.dots(
        [planes[run.instance_id].x(run.revenue) for run in runs],
        [planes[run.instance_id].y(run.inequality) for run in runs],
        theme.plain(runs[0].agent_name, 40), style.colour, marker=style.marker(0.85),
        hovertext=[_told(run) for run in runs], customdata=[link(run.run_id) for run in runs],
    )  # fmt: skip


def _told(run: ParetoRun) -> str:
    parts = [f"revenue ${run.revenue:,.0f}", f"pay gap ${run.inequality:,.0f}"]
    if run.litmus is not None:
        parts.append(f"litmus {run.litmus:.2f}")
    if run.frontier_distance is not None:
        parts.append(f"{run.frontier_distance:.2f} from the paper's line")
    if run.frontier_share is not None:
        parts.append(f"{run.frontier_share:.1%} of the revenue possible at this gap")
    return f"{theme.plain(run.agent_name, 60)}, seed {run.seed}: {', '.join(parts)}"


def backdrop(planes: Sequence[Plane]) -> list[Trace]:
    """Random allocations, the frontier between the best found and its proven bound, and the paper's segment.

    The frontier is the mean over the planes. `labels` has the labels of the traces.
    """
    cloud = [(plane.x(revenue), plane.y(gap)) for plane in planes for revenue, gap in plane.cloud]
    reached, bound, gaps = frontier_of(planes)
    quiet: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    shade = {"fill": "toself", "fillcolor": theme.ACCENT, "opacity": 0.22, "line": {"width": 0}}
    first, last = planes[0], planes[-1]
    ends_x = [first.x(first.equal["revenue"]), last.x(last.efficient["revenue"])]
    ends_y = [first.y(first.equal["inequality"]), last.y(last.efficient["inequality"])]
    return [
        theme.dots([x for x, _ in cloud], [y for _, y in cloud], "", theme.FAINT, size=3, opacity=0.45, **quiet),
        theme.line(reached + bound[::-1], gaps + gaps[::-1], "", theme.ACCENT, **shade, **quiet),
        theme.line(reached, gaps, "", theme.ACCENT, **quiet),
        theme.reference(ends_x, ends_y, "", **quiet),
        theme.dots(ends_x, ends_y, "", theme.INK, size=7, symbol="diamond", **quiet),
    ]


def frontier_of(planes: Sequence[Plane]) -> tuple[list[float], list[float], list[float]]:
    """Revenue reached, the bound on it, and the pay gap at each step of the frontier; means over the planes."""
    gaps = np.mean([[plane.y(point["inequality"]) for point in plane.frontier] for plane in planes], axis=0)
    reached, bound = (
        np.mean([[plane.x(point[key]) for point in plane.frontier] for plane in planes], axis=0)
        for key in ("revenue", "revenue_bound")
    )
    return reached.tolist(), bound.tolist(), gaps.tolist()


def labels(planes: Sequence[Plane]) -> list[dict[str, Any]]:
    """Labels beside the lines of the backdrop."""
    first, last = planes[0], planes[-1]
    reached, _, gaps = frontier_of(planes)
    knee = 2 * len(gaps) // 5
    ends = [
        ("equal pay", first.x(first.equal["revenue"]), first.y(first.equal["inequality"])),
        ("most efficient", last.x(last.efficient["revenue"]), last.y(last.efficient["inequality"])),
    ]
    (_, x0, y0), (_, x1, y1) = ends
    at: dict[str, Any] = {"xref": "x", "yref": "y"}
    left = {**at, "xanchor": "right", "xshift": -8}
    return [
        *(theme.annotation(words, x, y, yanchor="middle", **left) for words, x, y in ends),
        theme.annotation("frontier", reached[knee], gaps[knee], yanchor="top", xanchor="left", xshift=6, **at),
        theme.annotation(
            "paper's segment", x0 + 1.6 * (x1 - x0) / 2, y0 + 1.6 * (y1 - y0) / 2, yanchor="middle", **left
        ),
        theme.annotation("random", *_cloud_top(planes), yanchor="bottom", xanchor="center", yshift=2, **at),
    ]


def _cloud_top(planes: Sequence[Plane]) -> tuple[float, float]:
    points = [(plane.x(revenue), plane.y(gap)) for plane in planes for revenue, gap in plane.cloud]
    return float(np.median([x for x, _ in points])), max(y for _, y in points)


def _title(is_scaled: bool) -> dict[str, Any]:
    text = "pay gap, % of that of the most efficient" if is_scaled else "pay gap (highest − lowest pay), $"
    return theme.annotation(text, 0, 1, xshift=-40, yshift=6)


def plane_layout(data: Sequence[Trace], is_scaled: bool) -> dict[str, Any]:
    """Axes that hold all dots."""
    x = theme.padded([value for trace in data for value in trace["x"]], 0.05)
    y = theme.padded([value for trace in data for value in trace["y"]], 0.05)
    words = "revenue, % of the way from equal pay to the most efficient" if is_scaled else "company revenue, $"
    form = PLACES if is_scaled else DOLLARS
    return {
        "hovermode": "closest",
        "hoverdistance": 14,
        "xaxis": theme.x_axis(range=list(x), tickformat=form, title=theme.axis_title(words, 6), nticks=8),
        "yaxis": theme.y_axis(range=list(y), tickformat=form),
    }


def _description(runs: Sequence[ParetoRun], instances: int) -> str:
    names = list(dict.fromkeys(theme.plain(run.agent_name) for run in runs))
    return (
        f"Revenue against pay gap of {counted(len(runs), 'finished run,finished runs')} on "
        f"{counted(instances, 'instance,instances')} by {', '.join(names[:12])}. The frontier runs from equal pay to "
        "the most efficient allocation. The table above has the litmus scores."
    )
