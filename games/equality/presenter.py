"""Pages of efficiency versus equality: assignments, pay and revenue, and the position between the two goals."""

from dataclasses import replace

from environments.equality.economics import Company
from games.presenter import NOT_COMPUTED, KeyNumber, PageSection, Presenter
from infrastructure.text.formats import counted, dollars, number, percent, share, span
from infrastructure.text.tables import Column, Printed, text_table
from runs.models import Instance, Period, Run


class EqualityPresenter(Presenter):
    chart_title = "Pay and revenue so far"
    plane_title = "Revenue against pay gap"
    instance_title = "Tasks and frontier"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        return 506, 582

    def facts(self, run: Run) -> list[str]:
        worth = run.instance.hidden["productivities"].values()
        return [
            counted(len(run.instance.parameters["workers"]), "worker,workers"),
            f"productivities {span(worth, '{:g}'.format)}",
        ]

    def figures(self, run: Run) -> list[KeyNumber]:
        metrics = run.metrics or {}
        distance, reached = metrics.get("frontier_distance"), metrics.get("frontier_share")
        return [
            KeyNumber(
                "Revenue",
                _whole(metrics.get("revenue")),
                f"{percent(reached)} of the frontier" if reached else "",
                about="share-of-the-frontier",
            ),
            KeyNumber(
                "Pay gap",
                _whole(metrics.get("inequality")),
                f"{share(distance)} off the paper's line" if metrics else "",
                about="distance-from-the-line",
            ),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        result = period.result
        sizes, productivities = instance.hidden["task_sizes"], instance.hidden["productivities"]
        task_of = {worker: task for task, worker in period.action.items()}
        most, least = max(result["total_pay"].values()), min(result["total_pay"].values())
        tones = {} if most == least else {most: "good", least: "bad"}
        rows = (
            (
                worker,
                Printed(task_of[worker], tone="soft"),
                number(sizes[task_of[worker]]),
                _whole(result["pay"][worker]),
                _whole(productivities[worker] * sizes[task_of[worker]]),
                Printed(_whole(paid), tone=tones.get(paid, "")),
            )
            for worker, paid in result["total_pay"].items()
        )
        sums = (sum(result["pay"].values()), result["revenue"], sum(result["total_pay"].values()))
        foot = ("Company", "", number(sum(sizes[task] for task in period.action)), *map(_whole, sums))
        table = text_table(("Worker", "Task", "Size", "Pay", "Revenue", "Pay so far"), rows, foot, text_columns=2)
        figures = [
            KeyNumber("Revenue so far", _whole(result["total_revenue"]), about="efficiency-versus-equality"),
            KeyNumber(
                "Pay gap so far", _whole(result["inequality"]), "highest − lowest", about="efficiency-versus-equality"
            ),
        ]
        if period.quality is not None:
            best = "of the best possible"
            about = "efficiency-versus-equality-competency"
            figures.append(KeyNumber("Goal of this prompt", percent(period.quality), best, about=about))
        return [PageSection("", figures=tuple(figures), table=table)]

    def learns(self, instance: Instance) -> list[PageSection]:
        parameters, sizes = instance.parameters, list(instance.hidden["task_sizes"].values())
        figures = (
            KeyNumber(
                "Workers", number(len(parameters["workers"]), 0), about="instances-of-efficiency-versus-equality"
            ),
            KeyNumber("Tasks", number(len(sizes), 0), f"{parameters['tasks_per_period']} a period"),
            KeyNumber("Wage", _whole(parameters["wage"]), "for a unit of a task"),
        )
        sentence = "How large tasks are, and what each worker earns the company, the agent learns by assigning tasks."
        return [PageSection("", sentence, figures=figures)]

    def truth(self, instance: Instance) -> list[PageSection]:
        hidden = instance.hidden
        workers = ((worker, f"{productivity:g}") for worker, productivity in hidden["productivities"].items())
        return [PageSection("Productivity", table=text_table(("Worker", "Revenue of a unit, $"), workers))]

    def optimum(self, instance: Instance) -> list[PageSection]:
        company = Company.of(instance.as_problem())
        points = (("Most efficient", company.max_efficiency()), ("Equal pay", company.max_equality()))
        ends = ((name, _whole(point.revenue), _whole(point.inequality)) for name, point in points)
        sentence = (
            "Both ends are exact: the larger task to the more productive worker earns most, and the instance is constructed "
            "around an allocation of equal pay."
        )
        sections = [PageSection("The two ends", sentence, table=text_table(("Allocation", "Revenue", "Pay gap"), ends))]
        reference = instance.reference or {}
        if "frontier" not in reference:
            return [*sections, replace(NOT_COMPUTED, title="Frontier")]
        frontier = (
            [_whole(point[key]) for key in ("inequality", "revenue", "revenue_bound")]
            for point in reference["frontier"]
        )
        bound = Column("Bound", value_type=float, anchor="share-of-the-frontier")
        sentence = (
            "The most revenue reached within each pay gap, and a proven bound on it. The paper's litmus score uses the "
            "straight line between the two ends instead."
        )
        table = text_table(("Pay gap", "Revenue reached", bound), frontier, text_columns=0)
        return [*sections, PageSection("Frontier", sentence, table=table)]


def _whole(value: float | None) -> str:
    """Format dollars, without cents if they are zero."""
    if value is None or value != int(value):
        return dollars(value)
    return dollars(value).removesuffix(".00")
