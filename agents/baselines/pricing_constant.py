"""Constant prices."""

from __future__ import annotations

from agents.baselines import reading
from agents.baselines.base import Baseline, Play


class Constant(Baseline):
    slug = "pricing-constant"
    title = "Constant prices"
    description = "Sets every price to half the first recommended ceiling, in every period."
    environments = ("pricing",)

    def play(self, period: int) -> Play:
        products = reading.ids((yield "get_product_ids", {}))
        price = round(self.instance.parameters["price_ceilings"][0] / 2, 2)
        yield "write_notes", {"notes": f"Every price stays at {price:.2f}, half of the first ceiling."}
        yield self.act(dict.fromkeys(products, price))
