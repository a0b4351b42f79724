"""Log format of pricing. Logged prices are rounded to cents, but sales are at the exact prices of the agent's last call."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from environments.base import PERIODS
from environments.pricing.instance import MARKET_SIZE, SIGMA
from games.logs.cells import Cells
from games.logs.format import Format, LoggedGame, Step, check_parameters, logged_instance


class PricingFormat(Format):
    marks = ("alpha_list", "group_idxs", "costs", "seed", "model")
    action = "prices"
    results = {
        "quantities": ("quantities", dict),
        "profits": ("profits", dict),
        "total_profit": ("total profits", float),
    }
    evidence = "quantities"
    rounds_prices = True

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        if cells.whole("num_attempts") != PERIODS:
            raise cells.refuse(f"num_attempts must be {PERIODS}: how demand moves depends on it")
        nests, products = cells.literal("group_idxs", list), cells.literal("product_ids", list)
        ours = logged_instance(
            cells, "pricing", {"products": len(products), "nests": len({str(nest) for nest in nests})}
        )
        names = ours.parameters["products"]
        check_parameters(
            cells,
            product_ids=names,
            group_idxs=ours.hidden["nests"],
            costs=dict(zip(names, ours.parameters["costs"], strict=True)),
            a_tuple=ours.hidden["qualities"],
            alpha_list=ours.hidden["alphas"],
            multiplier_list=[MARKET_SIZE] * PERIODS,
            sigma=SIGMA,
            mu=1.0,
            a0=0.0,
        )
        return self.game_on_instance(cells, ours, PERIODS)

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        step = super().step(cells, game, offered_prices)
        is_exact = offered_prices.keys() == step.action.keys() and all(
            round(price, 2) == step.action[name] for name, price in offered_prices.items()
        )
        return replace(step, action=dict(offered_prices)) if is_exact else step
