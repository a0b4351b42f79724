"""The lower anchor: uniformly random valid actions."""

from typing import Any

import numpy as np

from agents.baselines import reading
from agents.baselines.base import Choice, SurveyBaseline

TOOL_ENVIRONMENTS = (
    "procurement",
    "scheduling",
    "pricing",
    "efficiency_vs_equality",
    "collusiveness_vs_competitiveness",
)
"""The environments with tools for which random and optimal actions are implemented."""

OVER_BUDGET_RATE = 0.1
MOST_OFFERS = 4


class Random(SurveyBaseline):
    slug = "random"
    title = "Random"
    description = "Takes a random valid action every period and learns nothing: the lower anchor."
    environments = ("procurement", "scheduling", "pricing", "patience_vs_impatience")
    unoffered = ("efficiency_vs_equality", "collusiveness_vs_competitiveness")

    def choose(self, period: int) -> Choice:
        rng, parameters = self.rng(period), self.instance.parameters
        match self.environment.name:
            case "procurement":
                return (yield from _random_plan(rng))
            case "scheduling":
                workers = reading.ids((yield "get_worker_ids", {}))
                tasks = rng.permutation(reading.ids((yield "get_task_ids", {}))).tolist()
                return dict(zip(workers, tasks, strict=True)), "I shuffled the tasks among the workers."
            case "pricing":
                products, ceiling = reading.ids((yield "get_product_ids", {})), parameters["price_ceilings"][period]
                prices = rng.uniform(0, ceiling, len(products)).round(2).tolist()
                reason = f"I drew every price between 0 and the ceiling of {ceiling:.2f}."
                return dict(zip(products, prices, strict=True)), reason
            case "efficiency_vs_equality":
                workers = rng.permutation(reading.ids((yield "get_worker_ids", {}))).tolist()
                tasks = list(reading.task_sizes((yield "get_task_info", {})))
                return dict(zip(tasks, workers, strict=True)), "I shuffled the workers among the tasks."
            case "collusiveness_vs_competitiveness":
                products, ceiling = reading.ids((yield "get_product_ids", {})), parameters["price_ceiling"]
                price = round(float(rng.uniform(0, ceiling)), 2)
                return dict.fromkeys(products, price), f"I drew a price between 0 and the ceiling of {ceiling:.2f}."
        raise NotImplementedError(f"No random action is known for {self.environment.name}.")

    def answer(self, prompt: str, rng: np.random.Generator) -> str:
        return f"<reasoning>I tossed a coin.</reasoning>\n\n<answer>{'AB'[int(rng.integers(2))]}</answer>"


def _random_plan(rng: np.random.Generator) -> Choice:
    """Spend a random part of the budget on a few random offers; sometimes exceed the budget."""
    offers = reading.menu((yield "get_equipment_information", {}))
    budget = reading.cents((yield "get_budget", {}))
    left = int(budget * (1.5 if rng.random() < OVER_BUDGET_RATE else rng.uniform(0.2, 1)))
    plan: dict[str, Any] = {}
    for index in rng.permutation(len(offers))[: int(rng.integers(1, MOST_OFFERS, endpoint=True))]:
        offer = offers[int(index)]
        if most := offer.most(left):
            plan[offer.id] = int(rng.integers(offer.minimum, most, endpoint=True))
            left -= offer.cost_cents(plan[offer.id])
    number = "one offer" if len(plan) == 1 else f"{len(plan)} offers"
    return plan, f"I bought {number} at random, without looking at earlier attempts."
