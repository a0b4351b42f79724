"""Figures of a run of efficiency versus equality: cumulative pay and revenue, and its path in the plane of both goals."""

from collections.abc import Sequence
from itertools import accumulate, cycle

import numpy as np

from environments.base import Instance, Outcome
from environments.equality.economics import Company
from games.equality.plane import Plane, backdrop, plane_layout
from games.overlay import RunPath, overlay_panels, values_of
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure, path
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

LEFT = 58


def equality_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Two panels: cumulative pay of each worker; below, the company's cumulative revenue between its two extremes."""
    result = outcomes[-1].result
    paid = ", ".join(f"{worker} ${amount:,}" for worker, amount in result["total_pay"].items())
    description = (
        f"After {counted(len(outcomes), 'period,periods')} the workers were paid {paid}; the company "
        f"had a revenue of ${result['total_revenue']:,.0f} and the pay gap was ${result['inequality']:,}."
    )
    panels = [_pay_panel(instance, outcomes, colour), _revenue_panel(instance, outcomes, last, colour)]
    return panel_figure(panels, last, description=description, left=LEFT)


def _pay_panel(instance: Instance, outcomes: Sequence[Outcome], colour: str) -> Panel:
    shades = cycle(shade for shade in theme.PALETTE if shade != colour)
    traces: list[Trace] = []
    for worker, shade in zip(instance.parameters["workers"], shades, strict=False):
        paid = [outcome.result["total_pay"][worker] for outcome in outcomes]
        name = f"{worker}, earns {instance.hidden['productivities'][worker]:g} a unit"
        texts = [f"{worker} paid ${amount:,} so far" for amount in paid]
        traces.append(theme.marked(path(outcomes, paid, name, shade, texts)))
    low, high = theme.padded([0, *(value for trace in traces for value in trace["y"])])
    return Panel("pay so far by worker, $", traces, 210, (min(low, 0.0), high), {"tickformat": "$,~s"})


def _revenue_panel(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> Panel:
    earned = [outcome.result["total_revenue"] for outcome in outcomes]
    ends = _revenue_ends(instance, last)
    texts = [f"revenue ${amount:,.0f} so far" for amount in earned]
    traces = [*ends, theme.marked(path(outcomes, earned, "revenue", colour, texts))]
    _, high = theme.padded([*values_of(ends), *earned])
    return Panel("revenue so far, $", traces, 130, (0.0, high), {"tickformat": "$,~s", "nticks": 4})


def _revenue_ends(instance: Instance, last: int) -> list[Trace]:
    """Cumulative revenue of the most efficient allocation and of the allocation with equal pay."""
    company = Company.of(instance, last + 1)
    worth = np.array(company.productivities)
    most, even = (
        list(accumulate((worth[workers] * company.sizes).sum(axis=1).tolist()))
        for workers in (company.efficient(), company.equal)
    )
    dotted = {"color": theme.FAINT, "width": 1.25, "dash": "1px,3px"}
    return [
        theme.reference(range(len(most)), most, "most efficient"),
        theme.reference(range(len(even)), even, "equal pay", line=dotted),
    ]


def equality_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """Two panels with one line for each run: cumulative revenue between its two extremes; below, the pay gap so far."""
    revenues, gaps = [], []
    for run in runs:
        earned = [outcome.result["total_revenue"] for outcome in run.outcomes]
        gap = [outcome.result["inequality"] for outcome in run.outcomes]
        revenues.append(run.line(earned, [f"revenue ${amount:,.0f} so far" for amount in earned]))
        gaps.append(run.line(gap, [f"pay gap ${amount:,} so far" for amount in gap]))
    ends = _revenue_ends(instance, last)
    axis = {"tickformat": "$,~s", "nticks": 5}
    _, highest = theme.padded(values_of([*ends, *revenues]))
    _, widest = theme.padded([0.0, *values_of(gaps)])
    panels = [
        Panel("revenue so far, $", [*ends, *revenues], 200, (0.0, highest), axis),
        Panel("pay gap so far (highest − lowest pay), $", gaps, 130, (0.0, widest), axis),
    ]
    return overlay_panels(panels, last, runs, "Revenue and pay gap so far.", LEFT)


def plane_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """The path of a run in the plane of revenue and pay gap, one dot for each period."""
    plane = Plane.of(instance, is_scaled=False)
    x = [outcome.result["total_revenue"] for outcome in outcomes]
    y = [outcome.result["inequality"] for outcome in outcomes]
    texts = [
        f"after period {outcome.period}: revenue ${revenue:,.0f}, pay gap ${gap:,}"
        for outcome, revenue, gap in zip(outcomes, x, y, strict=True)
    ]
    indices = [outcome.period for outcome in outcomes]
    run_trace = theme.line(
        x, y, "this run, by period", colour, mode="lines+markers", line={"color": colour, "width": 1},
        marker={"color": colour, "size": 4}, hovertext=texts, customdata=indices,
        meta={"mark": True, "periods": indices},
    )  # fmt: skip
    data = [*backdrop([plane]), run_trace]
    layout = plane_layout(data, [plane])
    layout["annotations"].insert(0, theme.plane_title("pay gap so far (highest − lowest pay), $"))
    description = f"Where the run stood after each of {len(outcomes)} periods; last {texts[-1]}."
    return theme.figure(data, layout, description=description, height=340, select="period", band=False)
