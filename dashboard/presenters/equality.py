"""Efficiency versus equality: assignments, pay and revenue, and the position between the two goals."""

from __future__ import annotations

from collections.abc import Collection

from dashboard.presenters.base import Cell, Column, Figure, Presenter, Section, Table, metrics_of
from infrastructure.text.formats import counted, dollars, number, percent, share
from runs.models import Instance, Period, Run


class EqualityPresenter(Presenter):
    chart_title = "Pay and revenue so far"
    plane_title = "Revenue against pay gap"

    def facts(self, run: Run) -> list[str]:
        worth = run.instance.hidden["productivities"].values()
        return [
            counted(len(run.instance.parameters["workers"]), "worker,workers"),
            f"productivities {min(worth):g} to {max(worth):g}",
        ]

    def figures(self, run: Run) -> list[Figure]:
        metrics = metrics_of(run)
        distance, reached = metrics.get("frontier_distance"), metrics.get("frontier_share")
        return [
            Figure("Revenue", _whole(metrics.get("revenue")), f"{percent(reached)} of the frontier" if reached else ""),
            Figure(
                "Pay gap",
                _whole(metrics.get("inequality")),
                f"{share(distance)} off the paper's line" if metrics else "",
            ),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]:
        result = period.result
        sizes, productivities = instance.hidden["task_sizes"], instance.hidden["productivities"]
        task_of = {worker: task for task, worker in period.action.items()}
        rows = tuple(
            (
                Cell(worker),
                Cell(task_of[worker], "soft"),
                Cell(number(sizes[task_of[worker]])),
                Cell(_whole(result["pay"][worker])),
                Cell(_whole(productivities[worker] * sizes[task_of[worker]])),
                Cell(_whole(paid), _extreme(paid, result["total_pay"].values())),
            )
            for worker, paid in result["total_pay"].items()
        )
        names = ("Worker", "Task", "Size", "Pay", "Revenue", "Pay so far")
        foot = (
            Cell("Company"),
            Cell(""),
            Cell(number(sum(sizes[task] for task in period.action))),
            Cell(_whole(sum(result["pay"].values()))),
            Cell(_whole(result["revenue"])),
            Cell(_whole(sum(result["total_pay"].values()))),
        )
        figures = (
            Figure("Revenue so far", _whole(result["total_revenue"])),
            Figure("Pay gap so far", _whole(result["inequality"]), "highest − lowest pay"),
            *(
                [Figure("Goal of this prompt", percent(period.quality), "of the best possible")]
                if period.quality is not None
                else ()
            ),
        )
        columns = tuple(Column(name, place > 1) for place, name in enumerate(names))
        return [Section("", figures=figures, table=Table(columns, rows, foot))]

    def hidden(self, instance: Instance) -> list[Section]:
        reference, hidden = instance.reference or {}, instance.hidden
        workers = tuple(
            (Cell(worker), Cell(f"{productivity:g}")) for worker, productivity in hidden["productivities"].items()
        )
        ends = tuple(
            (Cell(name), Cell(_whole(reference[key]["revenue"])), Cell(_whole(reference[key]["inequality"])))
            for name, key in (("Most efficient", "max_efficiency"), ("Equal pay", "max_equality"))
        )
        frontier = tuple(
            (Cell(_whole(point["inequality"])), Cell(_whole(point["revenue"])), Cell(_whole(point["revenue_bound"])))
            for point in reference["frontier"]
        )
        told = (
            "The most revenue reached within each pay gap, and a proven bound on it. The paper's litmus score uses the "
            "straight line between the two ends instead."
        )
        return [
            Section("Productivity", table=Table((Column("Worker", False), Column("Revenue of a unit, $")), workers)),
            Section(
                "The two ends", table=Table((Column("Allocation", False), Column("Revenue"), Column("Pay gap")), ends)
            ),
            Section(
                "Frontier", told, table=Table(tuple(map(Column, ("Pay gap", "Revenue reached", "Bound"))), frontier)
            ),
        ]


def _whole(value: float | None) -> str:
    """Dollars without cents where there are none."""
    if value is None or value != int(value):
        return dollars(value)
    return dollars(value).removesuffix(".00")


def _extreme(paid: float, values: Collection[float]) -> str:
    if min(values) == max(values):
        return ""
    return "good" if paid == max(values) else "bad" if paid == min(values) else ""
