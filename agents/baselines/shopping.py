"""Random purchase plans from the menu and the budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.baselines.reading import MenuOffer, Plan

EAGERNESS = 1.0
"""Weight of units per dollar in the random order of offers; 0 means uniformly random."""


def cost_cents(plan: Plan, offers: Sequence[MenuOffer]) -> int:
    return sum(offer.cost_cents(plan.get(offer.id, 0)) for offer in offers)


def covered(plan: Plan, offers: Sequence[MenuOffer]) -> set[str]:
    """The categories from which the plan holds a product."""
    return set().union(*(offer.categories for offer in offers if plan.get(offer.id)))


def random_cover(offers: Sequence[MenuOffer], budget_cents: int, rng: np.random.Generator) -> Plan:
    """A plan within the budget with a product of every category and the minimum quantity of each offer.

    If no such plan is found, the last try, which lacks a category.
    """
    wanted = set().union(*(offer.categories for offer in offers))
    plan: Plan = {}
    for _ in range(300):
        plan, left = {}, budget_cents
        for category in rng.permutation(sorted(wanted)):
            if category in covered(plan, offers):
                continue
            fitting = [o for o in offers if category in o.categories and o.cost_cents(o.minimum) <= left]
            if not fitting:
                break
            offer = _bargains(fitting, left, rng)[0]
            plan[offer.id] = offer.minimum
            left -= offer.cost_cents(offer.minimum)
        if covered(plan, offers) == wanted:
            break
    return plan


def filled(plan: Plan, offers: Sequence[MenuOffer], budget_cents: int, rng: np.random.Generator, kinds: int) -> Plan:
    """The plan plus as many copies of up to `kinds` random offers as the rest of the budget allows."""
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
    order = np.argsort(rng.exponential(size=len(offers)) / (units / price) ** EAGERNESS)
    return [offers[int(index)] for index in order]
