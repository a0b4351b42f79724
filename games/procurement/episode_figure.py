"""Figures of a procurement run: the workers that each plan supports, and the share of the budget that it uses."""

from collections.abc import Sequence
from typing import Any

from environments.base import Instance, Outcome
from environments.procurement.economics import budget_at
from environments.shocks import so_far
from games.overlay import RunPath, overlay_panels, values_of
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted

MOST_BUDGET = 2.0
"""Highest cost shown, as a multiple of the budget. Plans with higher costs are marked at the edge."""


def procurement_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    """Workers as a share of the optimum, with the best so far; below, the cost as a share of the budget."""
    has_optimum = all(outcome.result["share_of_optimum"] is not None for outcome in outcomes)
    # If the optimum is unknown, feasible plans are shown in workers.
    key = "share_of_optimum" if has_optimum else "workers"
    worth = [outcome.result[key] if outcome.result["feasible"] else None for outcome in outcomes]
    best = max((value for value in worth if value is not None), default=None)
    feasible = sum(outcome.result["feasible"] for outcome in outcomes)
    description = f"{counted(len(outcomes), 'purchase plan,purchase plans')}, {feasible} of them feasible. "
    if best is None:
        description += "No plan has been feasible so far."
    else:
        description += (
            f"The best supports {_amount(best, has_optimum)} and was first submitted in period {worth.index(best)}."
        )
    panels = [
        _workers_panel(instance, outcomes, worth, has_optimum, last, colour),
        _budget_panel(instance, outcomes, last, colour),
    ]
    return panel_figure(panels, last, description=description)


def _workers_panel(
    instance: Instance,
    outcomes: Sequence[Outcome],
    worth: Sequence[float | None],
    has_optimum: bool,
    last: int,
    colour: str,
) -> Panel:
    x = [outcome.period for outcome in outcomes]
    best = so_far(instance, [value or 0.0 for value in worth], max)
    highest = 1.0 if has_optimum else max([*best, 1.0])
    bad = [outcome for outcome in outcomes if not outcome.result["feasible"]]
    feasible = theme.dots(
        x, worth, "feasible plan", colour, opacity=0.6,
        hovertext=["" if value is None else f"this plan {_amount(value, has_optimum)}" for value in worth],
    )  # fmt: skip
    infeasible = theme.dots(
        [outcome.period for outcome in bad], [0.0] * len(bad), "plan not feasible", theme.BAD, symbol="x-thin",
        hovertext=[f"not feasible: {theme.plain('; '.join(o.result['reasons']), 90)}" for o in bad],
    )  # fmt: skip
    optimum = theme.reference([0, last], [1, 1], "optimum", showlegend=False)
    line = theme.step_line(
        x, best, "best so far", colour, hovertext=[f"best so far {_amount(v, has_optimum)}" for v in best]
    )
    return Panel(
        title="workers, % of optimum" if has_optimum else "workers",
        traces=[*([optimum] if has_optimum else []), line, theme.marked(feasible), theme.marked(infeasible)],
        height=190,
        bounds=(-0.05 * highest, 1.06 * highest),
        axis={"tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]} if has_optimum else {},
    )


def _budget_panel(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> Panel:
    x = [outcome.period for outcome in outcomes]
    costs = [outcome.result["cost_cents"] for outcome in outcomes]
    use = [cost / budget_at(instance, period) for period, cost in zip(x, costs, strict=True)]
    bounds = (0.0, min(max([*use, 1.0]) + 0.1, MOST_BUDGET))
    texts = [f"cost ${cost / 100:,.2f}, {share:.1%} of budget" for cost, share in zip(costs, use, strict=True)]
    thin = {"color": colour, "width": 1}
    spent = theme.line(x, use, "cost", colour, hovertext=texts, showlegend=False, cliponaxis=True, line=thin)
    over = [(period, min(share, bounds[1])) for period, share in zip(x, use, strict=True) if share > 1]
    quiet: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    beyond = theme.dots([p for p, _ in over], [share for _, share in over], "", theme.BAD, size=5, **quiet)
    within = theme.dots(x, [share if share <= 1 else None for share in use], "", colour, size=4, **quiet)
    limit = theme.reference([0, last], [1, 1], "budget", showlegend=False)
    return Panel(
        title="cost, % of budget",
        traces=[limit, theme.marked(spent), within, beyond, *theme.off_scale(x, use, bounds, theme.BAD)],
        height=92,
        bounds=bounds,
        axis={"tickformat": ".0%", "nticks": 4},
    )


def _amount(value: float, has_optimum: bool) -> str:
    return f"{value:.1%} of optimum" if has_optimum else f"{value:.2f} workers"


def procurement_overlay(instance: Instance, runs: Sequence[RunPath], last: int) -> PlotlyFigure:
    """Two panels with one line for each run: workers of the best plan so far and of each plan, as shares of the optimum."""
    has_optimum = all(outcome.result["share_of_optimum"] is not None for run in runs for outcome in run.outcomes)
    key = "share_of_optimum" if has_optimum else "workers"
    bests, plans = [], []
    for run in runs:
        worth = [float(outcome.result[key]) if outcome.result["feasible"] else 0.0 for outcome in run.outcomes]
        best = so_far(instance, worth, max)
        bests.append(run.steps(best, [f"best so far {_amount(value, has_optimum)}" for value in best]))
        plans.append(run.line(worth, [f"this plan {_amount(value, has_optimum)}" for value in worth]))
    highest = max([*values_of(bests), 1.0])
    unit = "% of optimum" if has_optimum else "workers"
    axis = {"tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]} if has_optimum else {}
    optimum = [theme.reference([0, last], [1, 1], "optimum", showlegend=False)] if has_optimum else []
    bounds = (-0.05 * highest, 1.06 * highest)
    panels = [
        Panel(f"workers of the best plan so far, {unit}", [*optimum, *bests], 190, bounds, axis),
        Panel(f"workers of each plan, {unit}; 0 if it is not feasible", [*optimum, *plans], 130, bounds, axis),
    ]
    return overlay_panels(panels, last, runs, "Workers of the best plan so far and of each plan.")
