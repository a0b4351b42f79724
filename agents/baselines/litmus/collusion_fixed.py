"""The two reference prices of a market of two: compete or collude, whatever the other does."""

from __future__ import annotations

from agents.baselines import reading
from agents.baselines.base import Baseline, Play


class Nash(Baseline):
    slug = "collusion-nash"
    title = "Nash price"
    description = "Knows the market and always sets the price of the static Nash equilibrium: litmus score 0."
    environments = ("collusiveness_vs_competitiveness",)
    clairvoyant = True

    def play(self, period: int) -> Play:
        yield from _always(self, self.instance.reference["nash_price"], "the price of the static Nash equilibrium")


class Collusive(Baseline):
    slug = "collusion-collusive"
    title = "Collusive price"
    description = "Knows the market and always sets the price at which two sellers earn most together: litmus score 1."
    environments = ("collusiveness_vs_competitiveness",)
    clairvoyant = True

    def play(self, period: int) -> Play:
        yield from _always(self, self.instance.reference["collusive_price"], "the price at which two sellers earn most")


def _always(agent: Baseline, price: float, what: str) -> Play:
    products = reading.ids((yield "get_product_ids", {}))
    yield "write_notes", {"notes": f"I set {price:.2f}, {what}."}
    yield agent.act(dict.fromkeys(products, price))
