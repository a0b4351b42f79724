"""Baselines of collusiveness versus competitiveness: two fixed prices, and the best response."""

from typing import ClassVar

from agents.baselines import reading
from agents.baselines.base import Baseline, Choice
from environments.collusion.economics import Market


class InformedSeller(Baseline):
    """A seller that knows the market."""

    environments = ("collusiveness_vs_competitiveness",)
    clairvoyant = True


class FixedPrice(InformedSeller):
    """Sets one of the reference prices in every period."""

    price: ClassVar[str]
    what: ClassVar[str]

    def choose(self, period: int) -> Choice:
        products = reading.ids((yield "get_product_ids", {}))
        price = self.instance.reference[self.price]
        return dict.fromkeys(products, price), f"I set {price:.2f}, {self.what}."


class Nash(FixedPrice):
    slug = "collusion-nash"
    title = "Nash price"
    description = "Knows the market and always sets the price of the static Nash equilibrium: litmus score 0."
    price = "nash_price"
    what = "the price of the static Nash equilibrium"


class Collusive(FixedPrice):
    slug = "collusion-collusive"
    title = "Collusive price"
    description = "Knows the market and always sets the price at which two sellers earn most together: litmus score 1."
    price = "collusive_price"
    what = "the price at which two sellers earn most"


class BestResponse(InformedSeller):
    """Plays the best response, starting at the collusive price. Two of them converge to the Nash price.

    A single seller sets its optimal price.
    """

    slug = "collusion-best-response"
    title = "Best response"
    description = "Knows the market and sets the most profitable price against the competitor's last one."

    def choose(self, period: int) -> Choice:
        products = reading.ids((yield "get_product_ids", {}))
        rival = reading.rival_price((yield "get_previous_pricing_data", {}))
        if period == 0:
            price, note = self.instance.reference["collusive_price"], "I begin at the price where two sellers earn most"
        else:
            price = Market.of(self.instance).best_response([] if rival is None else [rival])
            against = "" if rival is None else f"Against a competitor at {rival:.2f} "
            note = f"{against}I set the most profitable price"
        return dict.fromkeys(products, price), f"{note}, {price:.2f}."
