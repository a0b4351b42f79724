"""The upper anchor: a clairvoyant that knows everything hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.baselines.base import Baseline, Play
from environments.base import Instance
from environments.scheduling.economics import Preferences


class Optimum(Baseline):
    slug = "optimum"
    title = "Clairvoyant optimum"
    description = "Knows everything hidden and takes the best action every period: the upper anchor."
    environments = ("procurement", "scheduling", "pricing")

    def play(self, period: int) -> Play:
        yield "write_notes", {"notes": "I know everything that is hidden, and took the best action there is."}
        yield self.act(BEST[self.environment.name](self.instance, period))


def _best_plan(instance: Instance, period: int) -> dict[str, Any]:
    plan: dict[str, Any] = instance.reference["optimum"]["plan"]
    return plan


def _stable_assignment(instance: Instance, period: int) -> dict[str, Any]:
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    task_of = Preferences.of(instance).stable_matching()
    return {worker: tasks[task] for worker, task in zip(workers, task_of, strict=True)}


def _best_prices(instance: Instance, period: int) -> dict[str, Any]:
    prices = instance.reference["optimal_prices"][period]
    return dict(zip(instance.parameters["products"], prices, strict=True))


BEST: dict[str, Callable[[Instance, int], dict[str, Any]]] = {
    "procurement": _best_plan,
    "scheduling": _stable_assignment,
    "pricing": _best_prices,
}
