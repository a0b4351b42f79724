"""The lower anchor: uniformly random valid actions."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from agents.baselines import reading
from agents.baselines.base import Play, SurveyBaseline
from agents.baselines.litmus import reading as reading_litmus

Choice = Generator[tuple[str, dict[str, Any]], str, tuple[dict[str, Any], str]]
"""Yields calls of getters, returns an action and a sentence about it."""

OVER_BUDGET_RATE = 0.1
MOST_OFFERS = 4


class Random(SurveyBaseline):
    slug = "random"
    title = "Random"
    description = "Takes a random valid action every period and learns nothing: the lower anchor."
    environments = ("procurement", "scheduling", "pricing", "patience_vs_impatience")

    def play(self, period: int) -> Play:
        action, reason = yield from CHOICES[self.environment.name](self, period)
        yield "write_notes", {"notes": reason}
        yield self.act(action)

    def answer(self, prompt: str, rng: np.random.Generator) -> str:
        return f"<reasoning>I tossed a coin.</reasoning>\n\n<answer>{'AB'[int(rng.integers(2))]}</answer>"


def _random_plan(agent: Random, period: int) -> Choice:
    """Spend a random part of the budget on a few random offers; sometimes exceed the budget."""
    offers = reading.menu((yield "get_equipment_information", {}))
    budget = reading.cents((yield "get_budget", {}))
    rng = agent.rng(period)
    too_much = rng.random() < OVER_BUDGET_RATE
    left = int(budget * (1.5 if too_much else rng.uniform(0.2, 1)))
    plan: dict[str, Any] = {}
    for index in rng.permutation(len(offers))[: int(rng.integers(1, MOST_OFFERS, endpoint=True))]:
        offer = offers[int(index)]
        most = offer.most(left)
        if most:
            plan[offer.id] = int(rng.integers(offer.minimum, most, endpoint=True))
            left -= offer.cost_cents(plan[offer.id])
    number = "one offer" if len(plan) == 1 else f"{len(plan)} offers"
    return plan, f"I bought {number} at random, without looking at earlier attempts."


def _random_assignment(agent: Random, period: int) -> Choice:
    workers = reading.ids((yield "get_worker_ids", {}))
    tasks = reading.ids((yield "get_task_ids", {}))
    shuffled = agent.rng(period).permutation(tasks).tolist()
    return dict(zip(workers, shuffled, strict=True)), "I shuffled the tasks among the workers."


def _random_prices(agent: Random, period: int) -> Choice:
    products = reading.ids((yield "get_product_ids", {}))
    ceiling = agent.instance.parameters["price_ceilings"][period]
    prices = agent.rng(period).uniform(0, ceiling, len(products)).round(2).tolist()
    return dict(zip(products, prices, strict=True)), f"I drew every price between 0 and the ceiling of {ceiling:.2f}."


def _random_allocation(agent: Random, period: int) -> Choice:
    workers = reading.ids((yield "get_worker_ids", {}))
    tasks = reading_litmus.task_sizes((yield "get_task_info", {}))
    shuffled = agent.rng(period).permutation(workers).tolist()
    return dict(zip(tasks, shuffled, strict=True)), "I shuffled the workers among the tasks."


def _random_market_price(agent: Random, period: int) -> Choice:
    products = reading.ids((yield "get_product_ids", {}))
    ceiling = agent.instance.parameters["price_ceiling"]
    price = round(float(agent.rng(period).uniform(0, ceiling)), 2)
    return dict.fromkeys(products, price), f"I drew a price between 0 and the ceiling of {ceiling:.2f}."


CHOICES: dict[str, Callable[[Random, int], Choice]] = {
    "procurement": _random_plan,
    "scheduling": _random_assignment,
    "pricing": _random_prices,
    "efficiency_vs_equality": _random_allocation,
    "collusiveness_vs_competitiveness": _random_market_price,
}
