"""What several environments have in common: games in which agents set prices, and games in which they assign workers."""

from typing import Any

from environments.actions import parse_prices
from environments.base import SINGLE_SEAT, Environment, Getters


class Selling(Environment):
    """A game in which each seat sets a price for every product."""

    action_tool = "set_prices"
    action_argument = "prices_dict_str"
    history_tool = "get_previous_pricing_data"

    @property
    def products(self) -> list[str]:
        return list(self.instance.parameters["products"])

    def getters(self, seat: str) -> Getters:
        return {"get_product_ids": lambda: self.products, "get_attempt_number": lambda: self.period}

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Parse the action of one seat: a price by product. Every seat calls its own product by the same name."""
        return parse_prices(raw, self.action_argument, self.products)


class Assigning(Environment):
    """A game in which the agent assigns workers to tasks."""

    action_tool = "submit_assignment"
    action_argument = "assignment"

    @property
    def workers(self) -> list[str]:
        return list(self.instance.parameters["workers"])
