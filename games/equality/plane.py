"""The plane of revenue and pay gap: the two ends of an instance, the frontier between them and random allocations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from environments.base import Instance
from environments.equality.economics import Company
from infrastructure.figures import theme
from infrastructure.figures.theme import Trace

CLOUD = 240
"""Number of random allocations to draw, in total for all instances shown."""
GROUND: dict[str, Any] = {"bgcolor": theme.PANEL, "borderpad": 1}
"""Style of labels that a grid line would cross."""
REVENUE = "revenue, % of the way from equal pay to the most efficient"
DOLLAR_FORMAT, PERCENT_FORMAT = "$~s", ".0%"


@dataclass(frozen=True)
class Plane:
    """The plane of one instance: P_eff, P_eq, frontier. If `is_scaled`, P_eq is at (0, 0) and P_eff at (1, 1)."""

    efficient: Mapping[str, float]
    equal: Mapping[str, float]
    frontier: Sequence[Mapping[str, float]]
    cloud: Sequence[tuple[float, float]]
    is_scaled: bool

    @classmethod
    def of(cls, instance: Instance, is_scaled: bool, cloud: int = CLOUD) -> Plane:
        reference = instance.reference
        allocations = drawn_allocations(Company.of(instance), instance.seed, cloud)
        return cls(
            reference["max_efficiency"], reference["max_equality"], reference["frontier"], allocations, is_scaled
        )

    def x(self, revenue: float) -> float:
        return self._scaled("revenue", revenue)

    def y(self, inequality: float) -> float:
        return self._scaled("inequality", inequality)

    def _scaled(self, axis: str, value: float) -> float:
        if not self.is_scaled:
            return value
        extent = self.efficient[axis] - self.equal[axis]
        return (value - self.equal[axis]) / extent if extent else 0.0


def drawn_allocations(company: Company, seed: int, count: int) -> tuple[tuple[float, float], ...]:
    """Revenue and pay gap of random allocations. The same seed always gives the same allocations."""
    # Arrays cannot be cache keys.
    return _cached_allocations(
        company.productivities, tuple(company.sizes.ravel().tolist()), company.sizes.shape, count, seed
    )


@lru_cache(maxsize=64)
def _cached_allocations(
    productivities: tuple[float, ...], sizes: tuple[int, ...], shape: tuple[int, int], count: int, seed: int
) -> tuple[tuple[float, float], ...]:
    company = Company(productivities, np.array(sizes, dtype=np.int64).reshape(shape), np.zeros(shape, dtype=np.int64))
    rng = np.random.default_rng(seed)
    workers = np.tile(np.arange(shape[1]), (shape[0], 1))
    points = (company.point(rng.permuted(workers, axis=1)) for _ in range(count))
    return tuple((point.revenue, point.inequality) for point in points)


def backdrop(planes: Sequence[Plane]) -> list[Trace]:
    """Traces of random allocations, of the frontier (best found and proven bound), and of the paper's segment.

    The frontier is the mean over the planes. `_labels` has the labels of the traces.
    """
    cloud_x, cloud_y = zip(*_cloud(planes), strict=True)
    reached, bound, gaps = frontier_of(planes)
    quiet: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    shade = {"fill": "toself", "fillcolor": theme.ACCENT, "opacity": 0.22, "line": {"width": 0}}
    first, last = planes[0], planes[-1]
    ends_x = [first.x(first.equal["revenue"]), last.x(last.efficient["revenue"])]
    ends_y = [first.y(first.equal["inequality"]), last.y(last.efficient["inequality"])]
    return [
        theme.dots(cloud_x, cloud_y, "", theme.FAINT, size=3, opacity=0.45, **quiet),
        theme.line(reached + bound[::-1], gaps + gaps[::-1], "", theme.ACCENT, **shade, **quiet),
        theme.line(reached, gaps, "", theme.ACCENT, **quiet),
        theme.reference(ends_x, ends_y, "", **quiet),
        theme.dots(ends_x, ends_y, "", theme.INK, size=7, symbol="diamond", **quiet),
    ]


def _cloud(planes: Sequence[Plane]) -> list[tuple[float, float]]:
    return [(plane.x(revenue), plane.y(gap)) for plane in planes for revenue, gap in plane.cloud]


def frontier_of(planes: Sequence[Plane]) -> tuple[list[float], list[float], list[float]]:
    """Revenue reached, its upper bound, and pay gap at each step of the frontier, as means over the planes."""
    gaps = np.mean([[plane.y(point["inequality"]) for point in plane.frontier] for plane in planes], axis=0)
    reached, bound = (
        np.mean([[plane.x(point[key]) for point in plane.frontier] for plane in planes], axis=0)
        for key in ("revenue", "revenue_bound")
    )
    return reached.tolist(), bound.tolist(), gaps.tolist()


def _labels(planes: Sequence[Plane]) -> list[dict[str, Any]]:
    """Labels beside the lines of the backdrop."""
    first, last = planes[0], planes[-1]
    reached, _, gaps = frontier_of(planes)
    knee = 2 * len(gaps) // 5
    x0, y0 = first.x(first.equal["revenue"]), first.y(first.equal["inequality"])
    x1, y1 = last.x(last.efficient["revenue"]), last.y(last.efficient["inequality"])
    cloud_x, cloud_y = zip(*_cloud(planes), strict=True)
    at: dict[str, Any] = {"xref": "x", "yref": "y"}
    left = {**at, "xanchor": "right", "xshift": -8, "yanchor": "middle"}
    above = {**at, "xanchor": "center", "yshift": 2, "yanchor": "bottom"}
    return [
        theme.annotation("equal pay", x0, y0, **left, **GROUND),
        theme.annotation("most efficient", x1, y1, **left, **GROUND),
        theme.annotation("frontier", reached[knee], gaps[knee], yanchor="top", xanchor="left", xshift=6, **at),
        theme.annotation("paper's segment", x0 + 1.6 * (x1 - x0) / 2, y0 + 1.6 * (y1 - y0) / 2, **left, **GROUND),
        theme.annotation("random", float(np.median(cloud_x)), max(cloud_y), **above),
    ]


def plane_layout(data: Sequence[Trace], planes: Sequence[Plane]) -> dict[str, Any]:
    """The layout: axes with room for all dots, and the labels of the backdrop."""
    x, y = (theme.padded([value for trace in data for value in trace[axis]], 0.05) for axis in ("x", "y"))
    is_scaled = planes[0].is_scaled
    x_title = REVENUE if is_scaled else "company revenue, $"
    form = PERCENT_FORMAT if is_scaled else DOLLAR_FORMAT
    return {
        "hovermode": "closest",
        "hoverdistance": 14,
        "xaxis": theme.x_axis(range=list(x), tickformat=form, title=theme.axis_title(x_title, 6), nticks=8),
        "yaxis": theme.y_axis(range=list(y), tickformat=form),
        "annotations": _labels(planes),
    }
