"""The procurement environment: tools, effect of a plan, score of a run."""

import math
from pathlib import Path
from typing import Any

from environments.actions import check_keys, parse_flat_dict
from environments.base import PERIODS, SINGLE_SEAT, Environment, Getters, Instance, Outcome, Outcomes, ToolError
from environments.declarations import LowestScore, Score, Variant
from environments.procurement.economics import Menu, Offer, budget_at, workers
from environments.procurement.optimum import optimum_at
from environments.prompts.sets import PromptSet
from environments.shocks import FEWEST_PERIODS, OURS, is_after, period_of, recovery, shock_settings, so_far, worlds

MAX_QUANTITY = 1_000_000_000


class Procurement(Environment):
    name = "procurement"
    title = "Procurement"
    score_meaning = (
        "An agent buys products within a budget so that many workers can work. "
        "100 means that its best plan supports as many workers as the best possible one."
    )
    action_tool = "submit_purchase_plan"
    action_argument = "purchase_plan"
    history_tool = "get_previous_purchase_data"
    lowest_score = LowestScore(is_best_so_far=True)
    variants = {
        "main": Variant("the paper's prompt"),
        "known_horizon": Variant("told that there are 100 attempts (appendix F.2)"),
        "known_horizon_and_goal": Variant(
            "told that there are 100 attempts and that the best plan counts (appendix F.2)"
        ),
        "shock_budget": Variant(
            f"budget shock: it falls by 40 % in period 50 ({OURS})",
            label=f"budget shock, {OURS}",
            settings=shock_settings(shock_budget_factor=0.6),
            fewest_periods=FEWEST_PERIODS,
        ),
        "shock_effectiveness": Variant(
            f"effectiveness shock: a useful product has no effect from period 50 on ({OURS})",
            label=f"effectiveness shock, {OURS}",
            settings=shock_settings(shock_effectiveness=0),
            fewest_periods=FEWEST_PERIODS,
        ),
    }
    prompt_set = PromptSet(Path(__file__).parent / "prompts")

    def __init__(self, instance: Instance, outcomes: Outcomes = (), **options: Any):
        super().__init__(instance, outcomes, **options)
        shock = period_of(instance)
        self.menus = [Menu.of(instance), *([] if shock is None else [Menu.of(instance, shock)])]

    @property
    def menu(self) -> Menu:
        """The menu of the current period."""
        return self.menu_at(self.period)

    def menu_at(self, period: int) -> Menu:
        return self.menus[is_after(self.instance, period)]

    def getters(self, seat: str) -> Getters:
        return {
            "get_equipment_information": lambda: self.prompts.listing(map(describe_offer, self.menu.offers)),
            "get_budget": lambda: (
                self.menu.budget_cents / 100 if self.prompts.as_run else dollars(self.menu.budget_cents)
            ),
            "get_attempt_number": lambda: self.period,
        }

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Parse a complete plan. Offers that were left out get quantity 0 and come last, as in the history."""
        return self._plan(raw)

    def parse_logged(self, raw: object) -> dict[str, Any]:
        """Parse like `parse_action`, but allow negative and fractional quantities that give a number of workers."""
        plan = self._plan(raw, logged=True)
        if any(total < 0 for total in self.menu.category_sums(plan)):
            raise ToolError("No number of workers follows from a plan that leaves less than nothing of a category.")
        return plan

    def _plan(self, raw: object, *, logged: bool = False) -> dict[str, Any]:
        plan = parse_flat_dict(raw, self.action_argument)
        check_keys(plan, self.menu.by_id, "offer", f"Offer_1 to Offer_{len(self.menu.offers)}")
        for offer, quantity in plan.items():
            is_number = isinstance(quantity, int | float) and not isinstance(quantity, bool)
            if logged and (not is_number or not abs(quantity) <= MAX_QUANTITY):
                raise ToolError(f"The quantity of {offer} must be a number of at most {MAX_QUANTITY:,} either way.")
            if not logged and (not is_number or quantity < 0 or quantity % 1 != 0):
                raise ToolError(
                    f"The quantity of {offer} must be a non-negative whole number, but it was {quantity!r:.60}."
                )
            if quantity > MAX_QUANTITY:
                raise ToolError(f"The quantity of {offer} must be at most {MAX_QUANTITY:,}.")
            plan[offer] = int(quantity) if quantity % 1 == 0 else quantity
        return plan | {offer: 0 for offer in self.menu.by_id if offer not in plan}

    def step(self, action: dict[str, Any]) -> Outcome:
        menu = self.menu
        cost = menu.cost_cents(action)
        reasons = [
            f"the minimum order quantity of {offer.id} is {offer.min_quantity}, but {action[offer.id]} "
            f"{'was' if action[offer.id] == 1 else 'were'} ordered"
            for offer in menu.missed_minimums(action)
        ]
        if cost > menu.budget_cents:
            over, budget = dollars(cost - menu.budget_cents), dollars(menu.budget_cents)
            reasons.append(f"it costs {dollars(cost)}, which is {over} over the budget of {budget}")
        sums = menu.category_sums(action)
        share: float | None = 0.0
        if not reasons:
            optimum = optimum_at(self.instance, self.period) or {"proven": False}
            share = share_of_optimum(sums, menu.category_sums(optimum["plan"])) if optimum["proven"] else None
        return self._record_outcome(
            action,
            {
                "feasible": not reasons,
                "reasons": reasons,
                "cost_cents": cost,
                "workers": workers(sums),
                "share_of_optimum": share,
            },
            share,
        )

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        result, valid = outcome.result, outcome.result["feasible"]
        return {
            "period": outcome.period,
            "plan": outcome.action,
            "valid": valid,
            "reasons": [] if valid else result["reasons"],
            "workers": round(result["workers"], 2) if valid else None,
            "cost": round(result["cost_cents"] / 100, 2) if valid else None,
        }

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        seen = self.observed(outcome, seat)
        lines = [f"Attempt {seen['period']}:", f"Purchase plan proposed: {seen['plan']}"]
        if seen["valid"]:
            supported, cost = f"{seen['workers']:.2f} workers", f"{seen['cost']:.2f}"
            lines.append(f"Purchase plan results: supports {supported} and incurs cost of {cost}")
        else:
            reasons = self._reasons_as_run(outcome) if self.prompts.as_run else "; ".join(seen["reasons"])
            lines.append(f"Purchase plan was invalid: {reasons}")
        return "\n".join(lines)

    def _reasons_as_run(self, outcome: Outcome) -> str:
        """The reasons in the wording of the experiments, one on each line."""
        menu, plan, cost = self.menu_at(outcome.period), outcome.action, outcome.result["cost_cents"]
        budget = menu.budget_cents
        reasons = [
            f"Quantity {plan[offer.id]} for {offer.id} is insufficient (miniumum {offer.min_quantity} necessary)\n"
            for offer in menu.missed_minimums(plan)
        ]
        over = f"Total cost {dollars(cost)} exceeds budget {dollars(budget)}\n" if cost > budget else ""
        return "".join(reasons) + over

    @classmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """Workers of the best feasible plan as a share of the proven optimum; 0 if no plan was feasible.

        With a shock: the mean of this score before it and of that after it.
        """
        if not instance.reference:
            return Score(None, note="The optimum of this instance was not computed.")
        if not all(optimum["proven"] for optimum in instance.reference.values()):
            return Score(None, note="The optimum of this instance is not proven, so nothing is scored against it.")
        bests = [
            max((outcome.result["share_of_optimum"] for outcome in world if outcome.result["feasible"]), default=0.0)
            for world in worlds(instance, outcomes)
        ]
        return Score(math.fsum(bests) / len(bests), solved=min(bests) >= 1.0)

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        """Metrics of a run, including those of section 4.3.4 of the paper. Rates are shares of the submitted plans."""
        uses = [outcome.result["cost_cents"] / budget_at(instance, outcome.period) for outcome in outcomes]
        within = [use for use in uses if use <= 1]
        shares = [outcome.result["share_of_optimum"] for outcome in outcomes]
        is_scorable = all(share is not None for share in shares)
        optimal = next((i for i, share in enumerate(shares) if share is not None and share >= 1.0), None)
        explored = outcomes if optimal is None else outcomes[: optimal + 1]
        distinct = {frozenset((k, q) for k, q in outcome.action.items() if q) for outcome in explored}
        count = len(outcomes)
        return {
            "best_share_by_period": so_far(instance, shares, max) if is_scorable else None,
            "within_budget_rate": len(within) / count if count else None,
            "mean_budget_use": math.fsum(within) / len(within) if within else None,
            "budget_95_100_rate": sum(use >= 0.95 for use in within) / count if count else None,
            "exploration_rate": len(distinct) / len(explored) if explored else None,
            "periods_to_optimum": None if optimal is None else optimal + 1,
            "solved": all(max(world, default=0.0) >= 1.0 for world in worlds(instance, shares))
            if is_scorable
            else None,
        } | recovery(instance, outcomes)


def share_of_optimum(sums: tuple[int, ...], best: tuple[int, ...]) -> float:
    """Workers of a plan divided by workers of the optimum; exactly 1 if the integer products of their sums are equal."""
    product, best_product = math.prod(sums), math.prod(best)
    if best_product == 0 or product == best_product:
        return 1.0
    share = workers(sums) / workers(best)
    # Rounding must not make a plan below the optimum look optimal.
    return min(share, math.nextafter(1.0, 0.0)) if product < best_product else max(share, math.nextafter(1.0, 2.0))


def dollars(cents: float) -> str:
    return f"{cents / 100:.2f}"


def describe_offer(offer: Offer) -> str:
    """One line of the menu, in the format of appendix M.1.6."""
    condition = f"[{text}] " if (text := offer_condition(offer)) else ""
    return f"- {offer.id}: {condition}${dollars(offer.price_cents)} for {offer_contents(offer)}"


def offer_contents(offer: Offer) -> str:
    items = [f"{count} {'unit' if count == 1 else 'units'} of {item}" for item, count in offer.contents.items()]
    return f"{', '.join(items[:-1])}, and {items[-1]}" if len(items) > 2 else " and ".join(items)


def offer_condition(offer: Offer) -> str:
    """The condition of an offer as text; empty for an offer without a condition."""
    if offer.min_quantity is not None:
        return f"minimum order quantity {offer.min_quantity}"
    return f"additional upfront cost ${dollars(offer.upfront_cents)}" if offer.upfront_cents is not None else ""
