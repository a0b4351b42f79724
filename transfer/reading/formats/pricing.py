"""Pricing. The log rounds prices to cents but has sales at the exact prices, which the agent's last call holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from environments.base import PERIODS
from environments.pricing.instance import MARKET_SIZE, SIGMA
from transfer.reading.formats.matching import insist, made, prompt
from transfer.reading.logs import Format, Game, Step
from transfer.reading.tables import Cells

VARIANTS = {"v1": ("main", False), "v1_reasoning": ("main", True)}


def _game(cells: Cells, folder: PurePosixPath) -> Game:
    if cells.whole("num_attempts") != PERIODS:
        raise cells.refuse("num_attempts", f"must be {PERIODS}: how demand moves depends on it")
    nests, products = cells.literal("group_idxs", list), cells.literal("product_ids", list)
    settings = {"products": len(products), "nests": len({str(nest) for nest in nests})}
    ours = made(cells, "pricing", settings)
    names = ours.parameters["products"]
    insist(cells, "product_ids", names, products)
    insist(cells, "group_idxs", ours.hidden["nests"], nests)
    insist(cells, "costs", dict(zip(names, ours.parameters["costs"], strict=True)), cells.literal("costs", dict))
    insist(cells, "a_tuple", ours.hidden["qualities"], cells.literal("a_tuple", list))
    insist(cells, "alpha_list", ours.hidden["alphas"], cells.literal("alpha_list", list))
    insist(cells, "multiplier_list", [MARKET_SIZE] * PERIODS, cells.literal("multiplier_list", list))
    for name, ours_of_it in (("sigma", SIGMA), ("mu", 1.0), ("a0", 0.0)):
        insist(cells, name, ours_of_it, cells.number(name))
    variant, reasoning = prompt(cells, "prompt_type", VARIANTS)
    return Game(ours, variant, reasoning, PERIODS, cells.text("model")[:200])


def _step(cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
    logged = cells.literal("prices", dict)
    recorded = {
        "quantities": cells.literal("quantities", dict),
        "profits": cells.literal("profits", dict),
        "total_profit": cells.number("total profits"),
    }
    return Step(dict(chosen) if _rounds_to(chosen, logged) else logged, recorded, cells.place("prices"))


def _rounds_to(exact: Mapping[str, float], logged: dict[str, Any]) -> bool:
    return exact.keys() == logged.keys() and all(round(price, 2) == logged[name] for name, price in exact.items())


FORMAT = Format(
    environment="pricing",
    marks=("alpha_list", "group_idxs", "costs", "seed", "model"),
    period="attempt_num",
    action="prices",
    needed=("quantities", "profits", "total profits"),
    evidence="quantities",
    game=_game,
    step=_step,
    rounds_prices=True,
)
