"""Procurement. The seed gives everything but the budget, which the published code drew without a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from environments.base import PERIODS, Instance
from environments.procurement.environment import dollars
from transfer.reading.formats.matching import insist, made, periods, prompt
from transfer.reading.logs import Format, Game, Step
from transfer.reading.tables import Cells

VARIANTS = {
    "v1": ("main", False),
    "v1_o3": ("main", True),
    "v1_known_horizon": ("known_horizon", False),
    "v1_graded_best": ("known_horizon_and_goal", False),
}
KINDS = {"simple": "basic", "two_part_tariff": "two_part_tariff", "bulk_only": "bulk_discount"}
BUDGET_SLACK = 100
"""Most cents between a log's budget and ours: both add up to a dollar to the cost of the same plan."""


def _game(cells: Cells, folder: PurePosixPath) -> Game:
    if cells.text("agg_type") != "prod":
        raise cells.refuse("agg_type", "must be prod")
    p2 = cells.number("QUANTITY_PER_ITEM_P")
    if cells.number("OFFER_QTY_IN_SAMPLE_BUNDLE_P") != p2:
        raise cells.refuse("OFFER_QTY_IN_SAMPLE_BUNDLE_P", "must be equal to QUANTITY_PER_ITEM_P")
    products = cells.whole("num_inputs", 50) * cells.whole("num_alternatives_per_input", 200)
    if cells.whole("num_entries", 200) != products:
        raise cells.refuse("num_entries", f"must be the number of products, {products}")
    settings = {
        "products": products,
        "categories": cells.whole("num_inputs"),
        "lowest_effectiveness": cells.whole("MIN_EFFECTIVENESS"),
        "highest_effectiveness": cells.whole("MAX_EFFECTIVENESS"),
        "bundle_probability": cells.number("NUM_ITEMS_PER_ENTRY_P"),
        "quantity_probability": p2,
    }
    ours = made(cells, "procurement", settings)
    insist(
        cells, "menu", {offer["id"]: _entry(offer) for offer in ours.parameters["offers"]}, cells.literal("menu", dict)
    )
    insist(cells, "item_groups", ours.parameters["categories"], cells.literal("item_groups", list))
    effectiveness = cells.literal("item_to_effectiveness", dict)
    insist(cells, "item_to_effectiveness", ours.hidden["effectiveness"], effectiveness)
    instance, facts = _with_budget(cells, ours)
    variant, reasoning = prompt(cells, "prompt_type", VARIANTS)
    claims = {"opt_utility": cells.number("opt_utility")} if cells.has("opt_utility") else {}
    length = periods(cells, "num_attempts", PERIODS)
    return Game(instance, variant, reasoning, length, cells.text("model")[:200], facts, claims)


def _entry(offer: dict[str, Any]) -> dict[str, Any]:
    """An offer as the published code prints it."""
    entry: dict[str, Any] = {"type": KINDS[offer["kind"]], "contents": offer["contents"]}
    price = offer["price_cents"] / 100
    if offer["kind"] == "two_part_tariff":
        return entry | {"fixed_cost": offer["upfront_cents"] / 100, "variable_cost": price}
    if offer["kind"] == "bulk_only":
        return entry | {"cost": price, "min_quantity": offer["min_quantity"]}
    return entry | {"cost": price}


def _with_budget(cells: Cells, ours: Instance) -> tuple[Instance, dict[str, str]]:
    budget, own = round(cells.number("budget") * 100), ours.parameters["budget_cents"]
    if abs(budget - own) > BUDGET_SLACK:
        raise cells.refuse("budget", f"must be within $1.00 of ${dollars(own)}, which the seed gives")
    if budget == own:
        return ours, {}
    facts = {
        "Budget": f"${dollars(budget)}, which the published code drew unseeded; ours of this seed is ${dollars(own)}"
    }
    return replace(ours, parameters=ours.parameters | {"budget_cents": budget}), facts


def _step(cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
    recorded: dict[str, Any] = {
        "cost_cents": cells.number("cost") * 100,
        "workers": cells.number("utility"),
        "feasible": cells.text("is_feasible") == "True",
    }
    if best := game.claims.get("opt_utility"):
        recorded["share_of_optimum"] = recorded["workers"] / best if recorded["feasible"] else 0.0
    return Step(cells.literal("alloc", dict), recorded, cells.place("alloc"))


FORMAT = Format(
    environment="procurement",
    marks=("item_to_effectiveness", "menu", "budget", "seed", "model"),
    period="attempt_num",
    action="alloc",
    needed=("cost", "utility", "is_feasible"),
    evidence="cost_cents",
    game=_game,
    step=_step,
)
