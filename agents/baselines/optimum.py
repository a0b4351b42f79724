"""The upper anchor: a clairvoyant baseline that knows all hidden values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.baselines.base import Baseline, Play
from environments.base import Instance
from environments.equality.economics import Company
from environments.scheduling.economics import Preferences


class Optimum(Baseline):
    """In a litmus test a best action exists only where the prompt gives a single goal.

    Efficiency versus equality: the allocation of largest revenue, under the equality prompt the equal one. Two sellers:
    the price at which they earn most together; one seller: the price at which it earns most.
    """

    slug = "optimum"
    title = "Clairvoyant optimum"
    description = "Knows everything hidden and takes the best action every period: the upper anchor."
    environments = (
        "procurement",
        "scheduling",
        "pricing",
        "efficiency_vs_equality",
        "collusiveness_vs_competitiveness",
    )
    clairvoyant = True

    def play(self, period: int) -> Play:
        yield "write_notes", {"notes": "I know everything that is hidden, and took the best action there is."}
        yield self.act(BEST[self.environment.name](self.instance, period, self.variant))


def _best_plan(instance: Instance, period: int, variant: str) -> dict[str, Any]:
    plan: dict[str, Any] = instance.reference["optimum"]["plan"]
    return plan


def _stable_assignment(instance: Instance, period: int, variant: str) -> dict[str, Any]:
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    task_of = Preferences.of(instance).stable_matching()
    return {worker: tasks[task] for worker, task in zip(workers, task_of, strict=True)}


def _best_prices(instance: Instance, period: int, variant: str) -> dict[str, Any]:
    prices = instance.reference["optimal_prices"][period]
    return dict(zip(instance.parameters["products"], prices, strict=True))


def _best_allocation(instance: Instance, period: int, variant: str) -> dict[str, Any]:
    parameters, company = instance.parameters, Company.of(instance)
    n = parameters["tasks_per_period"]
    worker_of = company.equal if variant == "equality" else company.efficient()
    workers = [parameters["workers"][i] for i in worker_of[period]]
    return dict(zip(parameters["tasks"][n * period : n * (period + 1)], workers, strict=True))


def _best_market_price(instance: Instance, period: int, variant: str) -> dict[str, Any]:
    price = instance.reference["single_agent_price" if variant == "single_agent" else "collusive_price"]
    return dict.fromkeys(instance.parameters["products"], price)


BEST: dict[str, Callable[[Instance, int, str], dict[str, Any]]] = {
    "procurement": _best_plan,
    "scheduling": _stable_assignment,
    "pricing": _best_prices,
    "efficiency_vs_equality": _best_allocation,
    "collusiveness_vs_competitiveness": _best_market_price,
}
