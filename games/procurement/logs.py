"""Log format of procurement. The seed determines everything except the budget, which was drawn without a seed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from environments.procurement.environment import dollars
from games.logs.cells import Cells
from games.logs.format import Format, LoggedGame, Step, check_parameters, logged_instance, periods

KINDS = {"simple": "basic", "two_part_tariff": "two_part_tariff", "bulk_only": "bulk_discount"}
BUDGET_SLACK = 100
"""Maximum difference in cents between a log's budget and ours. Each is the same plan's cost plus at most a dollar."""


class ProcurementFormat(Format):
    marks = ("item_to_effectiveness", "menu", "budget", "seed", "model")
    action = "alloc"
    results = {"cost_cents": ("cost", float), "workers": ("utility", float), "feasible": ("is_feasible", str)}
    evidence = "cost_cents"
    prompts = {
        "v1": ("main", False),
        "v1_o3": ("main", True),
        "v1_known_horizon": ("known_horizon", False),
        "v1_graded_best": ("known_horizon_and_goal", False),
    }

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        if cells.text("agg_type") != "prod":
            raise cells.refuse("agg_type must be prod")
        quantity_probability = cells.number("QUANTITY_PER_ITEM_P")
        if cells.number("OFFER_QTY_IN_SAMPLE_BUNDLE_P") != quantity_probability:
            raise cells.refuse("OFFER_QTY_IN_SAMPLE_BUNDLE_P must be equal to QUANTITY_PER_ITEM_P")
        products = cells.whole("num_inputs", 50) * cells.whole("num_alternatives_per_input", 200)
        if cells.whole("num_entries", 200) != products:
            raise cells.refuse(f"num_entries must be the number of products, {products}")
        settings = {
            "products": products,
            "categories": cells.whole("num_inputs"),
            "lowest_effectiveness": cells.whole("MIN_EFFECTIVENESS"),
            "highest_effectiveness": cells.whole("MAX_EFFECTIVENESS"),
            "bundle_probability": cells.number("NUM_ITEMS_PER_ENTRY_P"),
            "quantity_probability": quantity_probability,
        }
        ours = logged_instance(cells, "procurement", settings)
        check_parameters(
            cells,
            menu={offer["id"]: _entry(offer) for offer in ours.parameters["offers"]},
            item_groups=ours.parameters["categories"],
            item_to_effectiveness=ours.hidden["effectiveness"],
        )
        budget, own = round(cells.number("budget") * 100), ours.parameters["budget_cents"]
        if abs(budget - own) > BUDGET_SLACK:
            raise cells.refuse(f"budget must be within $1.00 of ${dollars(own)}, which the seed gives")
        facts = {}
        if budget != own:
            drawn = "which the published code drew unseeded; ours of this seed is"
            facts["Budget"] = f"${dollars(budget)}, {drawn} ${dollars(own)}"
            ours = replace(ours, parameters=ours.parameters | {"budget_cents": budget})
        claims = {"opt_utility": cells.number("opt_utility")} if cells.has("opt_utility") else {}
        return self.game_on_instance(cells, ours, periods(cells), facts=facts, claims=claims)

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        step = super().step(cells, game, offered_prices)
        recorded = step.recorded
        recorded |= {"cost_cents": recorded["cost_cents"] * 100, "feasible": recorded["feasible"] == "True"}
        if best := game.claims.get("opt_utility"):
            recorded["share_of_optimum"] = recorded["workers"] / best if recorded["feasible"] else 0.0
        return step


def _entry(offer: dict[str, Any]) -> dict[str, Any]:
    """An offer in the format printed by the published code."""
    entry: dict[str, Any] = {"type": KINDS[offer["kind"]], "contents": offer["contents"]}
    price = offer["price_cents"] / 100
    if offer["kind"] == "two_part_tariff":
        return entry | {"fixed_cost": offer["upfront_cents"] / 100, "variable_cost": price}
    if offer["kind"] == "bulk_only":
        entry["min_quantity"] = offer["min_quantity"]
    return entry | {"cost": price}
