"""Figure of an instance of efficiency versus equality: the sizes of the tasks, and the frontier between the two goals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from environments.base import Instance
from environments.equality.economics import Company
from environments.equality.frontier import revenue_bound
from games.equality.plane import drawn_allocations
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span

HEIGHT = 270
RANDOM = 120
"""Number of random allocations to draw."""
ORDINALS = ("second", "third", "fourth")
CAPS = 10
"""Number of steps of the pay gap at which the bound is computed if the frontier is not stored yet."""


def equality_instance(instance: Instance) -> PlotlyFigure:
    """The tasks of each period by size, beside the plane of revenue and pay gap with its proven bound."""
    company = Company.of(instance)
    efficient, equal = company.max_efficiency(), company.max_equality()
    frontier = instance.reference.get("frontier") or []
    periods, workers = company.sizes.shape
    description = (
        f"{counted(periods, 'period,periods')} with {workers} tasks each for {workers} workers of productivity "
        f"{span(company.productivities, '{:g}'.format)}. Equal pay earns ${equal.revenue:,.0f}, the "
        f"most efficient allocation ${efficient.revenue:,.0f} with a pay gap of ${efficient.inequality:,.0f}. "
    )
    description += (
        "The frontier between them is shown." if frontier else "Only the proven bound on the frontier is shown."
    )
    return grid_figure([_sizes(company), _plane(instance, company, frontier)], columns=2, height=HEIGHT,
                       description=description, left=58)  # fmt: skip


def _sizes(company: Company) -> Tile:
    """Task sizes by period: one line for the largest task of each period, one for the second largest, and so on."""
    ordered = -np.sort(-company.sizes, axis=1)
    count = ordered.shape[1]
    names = ["largest", *ORDINALS[: count - 2], "smallest"]
    traces = [
        theme.line(
            range(len(ordered)), sizes, f"{name} task", theme.PALETTE[index % len(theme.PALETTE)],
            hovertext=[f"period {t}, {name} task: {size:,}" for t, size in enumerate(sizes)],
        )
        for index, (name, sizes) in enumerate(zip(names, ordered.T.tolist(), strict=True))
    ]  # fmt: skip
    high = 1.06 * float(ordered.max())
    return Tile(
        "size of the task, which is its pay in $",
        "period",
        traces,
        {"range": [-0.5, len(ordered) - 0.5]},
        {"range": [-0.03 * high, high]},
    )


def _plane(instance: Instance, company: Company, frontier: Sequence[dict[str, float]]) -> Tile:
    efficient, equal = company.max_efficiency(), company.max_equality()
    cloud_x, cloud_y = zip(*drawn_allocations(company, instance.seed, RANDOM), strict=True)
    quiet: dict[str, Any] = {"hoverinfo": "skip"}
    traces: list[Trace] = [
        theme.dots(cloud_x, cloud_y, "random allocations", theme.FAINT, size=3, opacity=0.5, **quiet)
    ]
    if frontier:
        gaps = [point["inequality"] for point in frontier]
        reached, bound = ([point[key] for point in frontier] for key in ("revenue", "revenue_bound"))
        texts = [f"pay gap up to ${gap:,.0f}: ${value:,.0f} reached, at most ${most:,.0f} possible"
                 for gap, value, most in zip(gaps, reached, bound, strict=True)]  # fmt: skip
        traces.append(theme.line(reached, gaps, "frontier, reached", theme.ACCENT, hovertext=texts))
    else:
        gaps = [step * efficient.inequality / CAPS for step in range(CAPS + 1)]
        bound = [revenue_bound(company, gap) for gap in gaps]
    texts = [f"pay gap up to ${gap:,.0f}: at most ${most:,.0f}, proven" for gap, most in zip(gaps, bound, strict=True)]
    traces.append(theme.reference(bound, gaps, "proven bound", hoverinfo="text", hovertext=texts))
    ends = [("equal pay", equal), ("most efficient", efficient)]
    traces.append(
        theme.dots(
            [point.revenue for _, point in ends], [point.inequality for _, point in ends], "the two ends", theme.INK,
            symbol="diamond", size=8,
            hovertext=[f"{name}: revenue ${p.revenue:,.0f}, pay gap ${p.inequality:,.0f}" for name, p in ends],
        )
    )  # fmt: skip
    x, y = (theme.padded([float(value) for trace in traces for value in trace[axis]], 0.05) for axis in ("x", "y"))
    form = {"tickformat": "$,~s"}
    return Tile(
        "pay gap (highest − lowest pay), $",
        "company revenue, $",
        traces,
        {"range": list(x), "nticks": 6, **form},
        {"range": list(y), **form},
    )
