"""A hill-climber for procurement: small changes to the best plan so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.baselines import reading
from agents.baselines.base import Baseline, Play
from agents.baselines.reading import MenuOffer, Plan, Purchase
from agents.baselines.shopping import covered, filled, random_cover

FIRST_DRAWS = 10
"""Periods of random complete plans before climbing."""

TRIES = 200


class HillClimber(Baseline):
    slug = "procurement-hill-climber"
    title = "Hill-climber"
    description = "Changes one offer of the best plan so far and spends what is left; keeps what supports more workers."
    environments = ("procurement",)

    def play(self, period: int) -> Play:
        history = reading.purchases((yield "get_previous_purchase_data", {}))
        offers = reading.menu((yield "get_equipment_information", {}))
        budget = reading.cents((yield "get_budget", {}))
        rng = self.rng(period)
        best = max(history, key=lambda purchase: purchase.workers or 0.0, default=Purchase({}, None))
        if not best.workers or period < FIRST_DRAWS:
            plan = filled(random_cover(offers, budget, rng), offers, budget, rng, kinds=3)
            note = "I bought something of every category at random and spent the rest."
        else:
            plan = self._neighbour(best.plan, [purchase.plan for purchase in history], offers, budget, rng)
            note = f"My best plan supports {best.workers:.2f} workers. This time I try {_change(best.plan, plan)}."
        yield "write_notes", {"notes": note}
        yield self.act(plan)

    def _neighbour(
        self, best: Plan, tried: list[Plan], offers: Sequence[MenuOffer], budget: int, rng: np.random.Generator
    ) -> Plan:
        """A plan not tried yet: some copies of one or two offers less, the money spent on others drawn at random."""
        minimum = {offer.id: offer.minimum for offer in offers}
        everything = covered(best, offers)
        plan = best
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


def _change(before: Plan, after: Plan) -> str:
    moves = [(offer, after.get(offer, 0) - before.get(offer, 0)) for offer in {**before, **after}]
    changed = [f"{abs(step)} {'more' if step > 0 else 'fewer'} of {offer}" for offer, step in moves if step]
    return ", ".join(changed) or "it again, for I found no change that I had not tried"
