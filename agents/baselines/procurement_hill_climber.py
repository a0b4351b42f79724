"""A hill-climber for procurement: small changes to the best plan so far."""

from collections.abc import Sequence

import numpy as np

from agents.baselines import reading
from agents.baselines.base import Baseline, Choice
from agents.baselines.reading import MenuOffer, Plan, Purchase


def cost_cents(plan: Plan, offers: Sequence[MenuOffer]) -> int:
    return sum(offer.cost_cents(plan.get(offer.id, 0)) for offer in offers)


def covered(plan: Plan, offers: Sequence[MenuOffer]) -> set[str]:
    """The categories from which the plan contains a product."""
    return set().union(*(offer.categories for offer in offers if plan.get(offer.id)))


def random_cover(offers: Sequence[MenuOffer], budget_cents: int, rng: np.random.Generator) -> Plan:
    """Draw a plan within the budget that has a product of every category and the minimum quantity of each offer.

    If no such plan is found, the last try is returned, which lacks a category.
    """
    categories = set().union(*(offer.categories for offer in offers))
    plan: Plan = {}
    for _ in range(300):
        plan, left = {}, budget_cents
        for category in rng.permutation(sorted(categories)):
            if category in covered(plan, offers):
                continue
            fitting = [o for o in offers if category in o.categories and o.cost_cents(o.minimum) <= left]
            if not fitting:
                break
            offer = _bargains(fitting, left, rng)[0]
            plan[offer.id] = offer.minimum
            left -= offer.cost_cents(offer.minimum)
        if covered(plan, offers) == categories:
            break
    return plan


def filled(plan: Plan, offers: Sequence[MenuOffer], budget_cents: int, rng: np.random.Generator, kinds: int) -> Plan:
    """Fill up a plan: add as many copies of up to `kinds` random offers as the rest of the budget allows."""
    plan = dict(plan)
    left = budget_cents - cost_cents(plan, offers)
    for offer in _bargains(offers, left, rng):
        copies = offer.most(left, plan.get(offer.id, 0))
        if copies and kinds:
            before = offer.cost_cents(plan.get(offer.id, 0))
            plan[offer.id] = plan.get(offer.id, 0) + copies
            left -= offer.cost_cents(plan[offer.id]) - before
            kinds -= 1
    return plan


def _bargains(offers: Sequence[MenuOffer], cents: int, rng: np.random.Generator) -> list[MenuOffer]:
    """The offers in random order. Offers with more units per dollar tend to come first."""
    units = np.array([sum(offer.contents.values()) for offer in offers], dtype=float)
    copies = np.array([max(offer.most(cents), 1) for offer in offers])
    price = np.array([offer.cost_cents(int(count)) / count for offer, count in zip(offers, copies, strict=True)])
    return [offers[int(index)] for index in np.argsort(rng.exponential(size=len(offers)) / (units / price))]


FIRST_DRAWS = 10
"""Periods of random complete plans before climbing."""

TRIES = 200


class HillClimber(Baseline):
    slug = "procurement-hill-climber"
    title = "Hill-climber"
    description = "Changes one offer of the best plan so far and spends what is left; keeps what supports more workers."
    environments = ("procurement",)

    def choose(self, period: int) -> Choice:
        history = reading.purchases((yield "get_previous_purchase_data", {}))
        offers = reading.menu((yield "get_equipment_information", {}))
        budget = reading.cents((yield "get_budget", {}))
        rng = self.rng(period)
        # After a fall of the budget, earlier plans may be too dear.
        affordable = [purchase for purchase in history if cost_cents(purchase.plan, offers) <= budget]
        best = max(affordable, key=lambda purchase: purchase.workers or 0.0, default=Purchase({}, None))
        if not best.workers or period < FIRST_DRAWS:
            plan = filled(random_cover(offers, budget, rng), offers, budget, rng, kinds=3)
            note = "I bought something of every category at random and spent the rest."
        else:
            plan = self._neighbour(best.plan, [purchase.plan for purchase in history], offers, budget, rng)
            steps = [(offer, plan.get(offer, 0) - best.plan.get(offer, 0)) for offer in {**best.plan, **plan}]
            moves = [f"{abs(step)} {'more' if step > 0 else 'fewer'} of {offer}" for offer, step in steps if step]
            change = ", ".join(moves) or "it again, for I found no change that I had not tried"
            note = f"My best plan supports {best.workers:.2f} workers. This time I try {change}."
        return plan, note

    def _neighbour(
        self, best: Plan, tried: list[Plan], offers: Sequence[MenuOffer], budget: int, rng: np.random.Generator
    ) -> Plan:
        """A new plan near `best`: some copies of one or two offers are removed, and the money goes to random offers."""
        minimum = {offer.id: offer.minimum for offer in offers}
        everything = covered(best, offers)
        for _ in range(TRIES):
            plan = dict(best)
            for offer in rng.permutation(sorted(plan))[: int(rng.integers(0, 3))].tolist():
                left = plan[offer] - int(rng.integers(1, plan[offer], endpoint=True))
                plan[offer] = left if left >= minimum[offer] else 0
            plan = filled(plan, offers, budget, rng, kinds=int(rng.integers(1, 4)))
            plan = {offer: quantity for offer, quantity in plan.items() if quantity}
            if plan not in tried and covered(plan, offers) >= everything:
                break
        return plan
