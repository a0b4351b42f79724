"""The pricing environment: tools, effect of prices, score of a run."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from environments.actions import LOWEST_LOGGED, parse_prices
from environments.base import PERIODS, SINGLE_SEAT, Instance, Outcome, Outcomes
from environments.declarations import Score, Variant
from environments.pricing.economics import Demand
from environments.prompts.sets import PromptSet
from environments.shared_games import Selling
from environments.shocks import FEWEST_PERIODS, OURS, recovery, shock_settings

FIRST_PERIODS = 10
CEILING = "{upper_bound_price}"


class Pricing(Selling):
    name = "pricing"
    title = "Pricing"
    score_meaning = (
        "An agent sets prices while demand changes. "
        "100 means that it earned as much in the last periods of the run as the best possible prices would have."
    )
    variants = {
        "main": Variant("the paper's prompt"),
        "shock_sensitivity": Variant(
            f"sensitivity shock: no drift, but prices matter more or less from period 50 on ({OURS})",
            label=f"sensitivity shock, {OURS}",
            settings=shock_settings(shock_factor=1.5),
            fewest_periods=FEWEST_PERIODS,
        ),
    }
    prompt_set = PromptSet(Path(__file__).parent / "prompts", placeholders={CEILING: "price ceiling of the period"})

    def __init__(self, instance: Instance, outcomes: Outcomes = (), **options: Any):
        super().__init__(instance, outcomes, **options)
        self.demand = Demand.of(instance)

    def initial_prompt(self, seat: str = SINGLE_SEAT) -> str:
        ceiling = self.instance.parameters["price_ceilings"][self.period]
        return super().initial_prompt(seat).replace(CEILING, str(ceiling))

    def parse_logged(self, raw: object) -> dict[str, Any]:
        return parse_prices(raw, self.action_argument, self.products, lowest=LOWEST_LOGGED)

    def step(self, action: dict[str, Any]) -> Outcome:
        alphas = self.instance.hidden["alphas"][self.period]
        prices = [action[product] for product in self.products]
        quantities = self.demand.quantities(prices, alphas)
        profits = self.demand.profits(prices, alphas)
        total = float(profits.sum())
        share = total / self.instance.reference["optimal_profit"]
        return self._record_outcome(
            action,
            {
                "quantities": dict(zip(self.products, quantities.tolist(), strict=True)),
                "profits": dict(zip(self.products, profits.tolist(), strict=True)),
                "total_profit": total,
                "share_of_optimum": share,
            },
            share,
        )

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        return {
            "period": outcome.period,
            "products": {
                product: {
                    "price": round(outcome.action[product], 2),
                    "quantity": round(outcome.result["quantities"][product], 2),
                    "profit": round(outcome.result["profits"][product], 2),
                    "cost": round(cost, 2),
                }
                for product, cost in zip(self.products, self.instance.parameters["costs"], strict=True)
            },
        }

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        lines = [f"Attempt {outcome.period}:"]
        for product, values in self.observed(outcome, seat)["products"].items():
            lines += [f"{product}:", *(f"{name.capitalize()}: {value:.2f}" for name, value in values.items())]
        return "\n".join(lines)

    @classmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """Profit divided by optimal profit in the last 50 periods; in a run of fewer than 100 periods, the last half."""
        scored = outcomes[-cls.scored_periods(periods) :]
        if not scored:
            return Score(None, note="No prices were set.")
        earned = math.fsum(outcome.result["total_profit"] for outcome in scored)
        return Score(earned / (instance.reference["optimal_profit"] * len(scored)))

    @classmethod
    def score_note(cls, periods: int) -> str:
        return f"last {cls.scored_periods(periods)} periods"

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        """Metrics of a run. `tracking_error_by_period` is p / p*, price over optimal price, by period and product."""
        shares = [outcome.result["share_of_optimum"] for outcome in outcomes]
        last, first = shares[-cls.scored_periods(periods) :], shares[:FIRST_PERIODS]
        products = instance.parameters["products"]
        prices = np.array([[outcome.action[p] for p in products] for outcome in outcomes]).reshape(-1, len(products))
        optimal = np.array(instance.reference["optimal_prices"])[: len(outcomes)]
        return {
            "profit_share_by_period": shares,
            "adaptability": math.fsum(last) / len(last) - math.fsum(first) / len(first) if shares else None,
            "tracking_error_by_period": (prices / optimal).tolist(),
        } | recovery(instance, outcomes)
