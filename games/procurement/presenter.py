"""Pages of procurement: the plan, its cost and the workers it supports."""

from typing import Any

from environments.procurement.economics import Menu
from environments.procurement.optimum import optimum_at
from environments.shocks import period_of
from games import presenter as parts
from infrastructure.text.formats import cents, counted, duration, number, percent
from infrastructure.text.tables import Printed, Table, text_table
from runs.models import Instance, Period, Run

KINDS = {"simple": "simple", "two_part_tariff": "two-part tariff", "bulk_only": "bulk only"}


class ProcurementPresenter(parts.Presenter):
    chart_title = "Workers by period"
    instance_title = "Offers and products"

    def facts(self, run: Run) -> list[str]:
        offers = counted(len(run.instance.parameters["offers"]), "offer,offers")
        after = run.instance.hidden.get("shock", {}).get("budget_cents")
        then = "" if after is None else f", then {cents(after)}"
        return [offers, f"budget {cents(run.instance.parameters['budget_cents'])}{then}"]

    def figures(self, run: Run) -> list[parts.KeyNumber]:
        metrics = run.metrics or {}
        periods_to_optimum = metrics.get("periods_to_optimum")
        return [
            parts.KeyNumber(
                "Optimum found",
                "–"
                if metrics.get("solved") is None
                else f"period {periods_to_optimum - 1}"
                if periods_to_optimum
                else "no",
                about="procurement-score",
            ),
            parts.recovery_number(run)
            or parts.KeyNumber(
                "Budget use", percent(metrics.get("mean_budget_use")), "mean within budget", about="budget-use"
            ),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[parts.PageSection]:
        menu = Menu.of(instance.as_problem(), period.index)
        result, budget = period.result, menu.budget_cents
        use = f"of {cents(budget)}" if result["cost_cents"] <= budget else f"over the budget of {cents(budget)}"
        figures = (
            parts.KeyNumber(
                "Workers", number(result["workers"]) if result["feasible"] else "none", "supported", about="procurement"
            ),
            parts.KeyNumber("Share of optimum", percent(result["share_of_optimum"]), about="procurement-score"),
            parts.KeyNumber("Budget use", percent(result["cost_cents"] / budget), use, about="budget-use"),
        )
        problems = tuple(f"Infeasible: {reason}." for reason in result["reasons"])
        table = _plan(menu, period, before)
        bought = "" if table.rows else "Nothing was bought."
        return [parts.PageSection("", bought, problems=problems, figures=figures, table=table if table.rows else None)]

    def learns(self, instance: Instance) -> list[parts.PageSection]:
        menu = Menu.of(instance.as_problem())
        figures = (
            parts.KeyNumber("Budget", cents(menu.budget_cents), "a period", about="instances-of-procurement"),
            parts.KeyNumber("Offers", number(len(menu.offers), 0)),
            parts.KeyNumber(
                "Products", number(len(menu.effectiveness), 0), f"in {counted(len(menu.categories), 'group,groups')}"
            ),
        )
        rows = (
            (
                offer.id,
                Printed(", ".join(f"{count} {item}" for item, count in offer.contents.items()), tone="soft"),
                KINDS[offer.kind],
                cents(offer.price_cents),
                cents(offer.upfront_cents),
                "–" if offer.min_quantity is None else f"{offer.min_quantity:,}",
                cents(offer.cost_cents(offer.min_quantity or 1)),
            )
            for offer in menu.offers
        )
        labels = ("Offer", "Contents", "Kind", "Unit price", "Upfront", "At least", "Smallest purchase")
        table = text_table(labels, rows, text_columns=3)
        return [
            parts.PageSection("", "One product of each group is needed.", figures=figures),
            parts.PageSection("Menu", table=table),
        ]

    def truth(self, instance: Instance) -> list[parts.PageSection]:
        menu = Menu.of(instance.as_problem())
        rows = []
        for category in menu.categories:
            listed = ", ".join(f"{item}: {menu.effectiveness[item]}" for item in category)
            rows.append((category[0].rstrip("0123456789"), listed))
        table = text_table(("Category", "Product and effectiveness"), rows, text_columns=2)
        sections = [parts.PageSection("Effectiveness of each product", table=table)]
        if shock := instance.hidden.get("shock"):
            changed = [
                f"the effectiveness of {item} is {value}" for item, value in shock.get("effectiveness", {}).items()
            ]
            changed += [f"the budget is {cents(shock['budget_cents'])}"] if "budget_cents" in shock else []
            sentence = f"From period {period_of(instance)} on, {' and '.join(changed)}."
            sections.append(parts.PageSection("Shock", sentence))
        return sections

    def optimum(self, instance: Instance) -> list[parts.PageSection]:
        if not instance.reference:
            return [parts.NOT_COMPUTED]
        problem, shock = instance.as_problem(), period_of(instance)
        titles = {0: "Optimum"} if shock is None else {0: "Optimum before the shock", shock: "Optimum after the shock"}
        optima = ((title, optimum_at(problem, period), period) for period, title in titles.items())
        return [_optimum(title, best, Menu.of(problem, period)) for title, best, period in optima if best]

    def jumps(self, qualities: list[parts.Quality]) -> list[parts.Jump]:
        jumps = [jump for jump in parts.common_jumps(qualities) if jump.label != "Worst"]
        infeasible = [quality.index for quality in qualities if quality.value == 0]
        if infeasible:
            jumps[-1:-1] = [
                parts.Jump("First infeasible", infeasible[0]),
                parts.Jump("Last infeasible", infeasible[-1]),
            ]
        return jumps


def _plan(menu: Menu, period: Period, before: Period | None) -> Table:
    """The table of the offers bought, each with its change since the previous period."""
    rows = []
    for offer_id, quantity in period.action.items():
        if not quantity:
            continue
        offer = menu.by_id[offer_id]
        step = quantity - before.action.get(offer_id, 0) if before else 0
        rows.append(
            (
                offer_id,
                Printed(", ".join(f"{count} {item}" for item, count in offer.contents.items()), tone="soft"),
                f"{quantity:,}",
                Printed(f"{step:+,}".replace("-", "−") if step else "", tone="soft"),
                cents(offer.price_cents),
                cents(offer.cost_cents(quantity)),
            )
        )
    labels = ("Offer", "Contents", "Quantity", "Change", "Unit price", "Cost")
    return text_table(labels, rows, ("Total", "", "", "", "", cents(period.result["cost_cents"])), text_columns=2)


def _optimum(title: str, optimum: dict[str, Any], menu: Menu) -> parts.PageSection:
    rows = (
        (offer, f"{quantity:,}", cents(menu.by_id[offer].cost_cents(quantity)))
        for offer, quantity in optimum["plan"].items()
        if quantity
    )
    value, bound = optimum["log_value"], optimum["log_bound"]
    gap = "–" if value is None or bound is None else f"{max(0.0, bound - value):.1g}"
    proven = "Proven: no plan within the budget does better."
    figures = (
        parts.KeyNumber("Workers", number(optimum["workers"]), "at the optimum", about="optimum-of-procurement"),
        parts.KeyNumber("Cost", cents(optimum["cost_cents"]), f"of {cents(menu.budget_cents)}"),
        parts.KeyNumber("Value", number(value, 6), "sum of logs", about="optimum-of-procurement"),
        parts.KeyNumber("Upper bound", number(bound, 6), f"gap {gap}", about="optimum-of-procurement"),
        parts.KeyNumber("Solver", optimum["solver"]),
        parts.KeyNumber("Solved in", duration(optimum["seconds"])),
    )
    sentence = proven if optimum["proven"] else f"Not proven within {duration(optimum['seconds'])} of a processor."
    return parts.PageSection(title, sentence, figures=figures, table=text_table(("Offer", "Quantity", "Cost"), rows))
