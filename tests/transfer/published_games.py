"""The row that ends a period and the parameters of a folder, as the published code writes them for each environment."""

from __future__ import annotations

from typing import Any, NamedTuple

from environments.base import Instance


def _procurement(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    return {
        "alloc": outcome.action,
        "cost": result["cost_cents"] / 100,
        "utility": result["workers"],
        "is_feasible": result["feasible"],
        "infeasible_reason": "\n".join(result["reasons"]),
    }


def _scheduling(game: Any, outcome: Any) -> dict[str, Any]:
    pairs, shown = ([tuple(pair) for pair in outcome.result[key]] for key in ("pairs", "feedback"))
    hidden = game.instance.hidden
    return {
        "worker_prefs": hidden["worker_preferences"],
        "task_prefs": hidden["task_preferences"],
        "matching": outcome.action,
        "blocking_pairs": pairs,
        "blocking_pair": shown or None,
    }


def _pricing(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    rounded = {key: {name: round(value, 2) for name, value in result[key].items()} for key in ("quantities", "profits")}
    costs = dict(zip(game.products, game.instance.parameters["costs"], strict=True))
    prices = {name: round(price, 2) for name, price in outcome.action.items()}
    return {
        "prices": prices,
        **rounded,
        "total profits": sum(rounded["profits"].values()),
        "costs": costs,
        "status": "",
    }


def _equality(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    return {
        "alloc": outcome.action,
        "worker_pay": result["pay"],
        "cumulative_worker_pay": result["total_pay"],
        "company_revenue": result["revenue"],
        "worker_to_company_revenue": {},
        "worker_inequality": result["inequality"],
    }


def _collusion(game: Any, outcome: Any) -> dict[str, Any]:
    def seats(values: dict[str, float]) -> list[float]:
        return [round(value, 2) for value in values.values()]

    result = outcome.result
    return {
        "prices": list(outcome.action.values()),
        "quantities": seats(result["quantities"]),
        "profits": seats(result["profits"]),
    }


CLOSING = {
    "procurement": _procurement,
    "scheduling": _scheduling,
    "pricing": _pricing,
    "efficiency_vs_equality": _equality,
    "collusiveness_vs_competitiveness": _collusion,
}


def ceiling(game: Any) -> float:
    """The price that the first prompt names: of a market 1.5 times what the parameters call the monopoly price."""
    if game.name == "pricing":
        return game.instance.parameters["price_ceilings"][game.period]
    return round(1.5 * game.instance.reference[MONOPOLY[game.variant]], 2)


MONOPOLY = {"main": "collusive_price", "single_agent": "single_agent_price"}


class Told(NamedTuple):
    """What a folder is asked to hold besides its instance."""

    seed: int
    periods: int
    model: str
    variant: str


def _procurement_parameters(instance: Instance, told: Told) -> dict[str, Any]:
    parameters, hidden, reference = instance.parameters, instance.hidden, instance.reference
    settings = instance.settings
    return {
        "num_inputs": settings["categories"],
        "num_alternatives_per_input": settings["products"] // settings["categories"],
        "num_entries": settings["products"],
        "NUM_ITEMS_PER_ENTRY_P": settings["bundle_probability"],
        "QUANTITY_PER_ITEM_P": settings["quantity_probability"],
        "OFFER_QTY_IN_SAMPLE_BUNDLE_P": settings["quantity_probability"],
        "MIN_EFFECTIVENESS": settings["lowest_effectiveness"],
        "MAX_EFFECTIVENESS": settings["highest_effectiveness"],
        "agg_type": "prod",
        "menu": {offer["id"]: _entry(offer) for offer in parameters["offers"]},
        "budget": parameters["budget_cents"] / 100,
        "item_groups": parameters["categories"],
        "item_to_effectiveness": hidden["effectiveness"],
        "opt_utility": reference["optimum"]["workers"] if reference else 1.0,
    }


def _scheduling_parameters(instance: Instance, told: Told) -> dict[str, Any]:
    parameters, hidden = instance.parameters, instance.hidden
    return {
        "final_prompt_type": "final_attempt_v1",
        "num_workers": instance.settings["size"],
        "num_blocking_pairs": parameters["feedback_pairs"],
        "score_gap_worker": 1.0,
        "score_gap_task": 1.0,
        "blocking_pair_selection_method": "random_cache",
        "worker_ids": parameters["workers"],
        "task_ids": parameters["tasks"],
        "worker_prefs": hidden["worker_preferences"],
        "task_prefs": hidden["task_preferences"],
        "status": "Exited normally",
    }


def _pricing_parameters(instance: Instance, told: Told) -> dict[str, Any]:
    parameters, hidden = instance.parameters, instance.hidden
    return {
        "noise_param": 0.0,
        "period_length": 10,
        "a0": 0.0,
        "a_tuple": tuple(hidden["qualities"]),
        "alpha_list": hidden["alphas"],
        "multiplier_list": [100.0] * told.periods,
        "costs": dict(zip(parameters["products"], parameters["costs"], strict=True)),
        "group_idxs": hidden["nests"],
        "mu": 1.0,
        "sigma": 0.5,
        "product_ids": parameters["products"],
        "env_type": "EnvType.LINEAR_SHIFTS",
        "difficulty": "Basic",
    }


def _equality_parameters(instance: Instance, told: Told) -> dict[str, Any]:
    parameters, hidden = instance.parameters, instance.hidden
    return {
        "model": told.model,
        "prompt_type": told.variant,
        "seed": told.seed,
        "num_periods": told.periods,
        "num_workers": 4,
        "worker_productivity_gap": 18,
        "max_worker_productivity_gap": 18,
        "worker_wage": 1,
        "worker_ids": parameters["workers"],
        "task_ids": parameters["tasks"],
        "task_id_to_task_size": hidden["task_sizes"],
        "worker_id_to_productivities": hidden["productivities"],
    }


def _collusion_parameters(instance: Instance, told: Told) -> dict[str, Any]:
    hidden, reference = instance.hidden, instance.reference
    sellers = 1 if told.variant == "single_agent" else 2
    return {
        "seed": told.seed,
        "prompt_type": None,
        "a": (2,) * sellers,
        "a0": 0,
        "c": (1,) * sellers,
        "mu": 0.25,
        "multiplier": 100,
        "monopoly_price": reference[MONOPOLY[told.variant]],
        "nash_price": reference["nash_price"] if sellers > 1 else reference["single_agent_price"],
        "alpha": hidden["alpha"],
        "sigma": 0,
        "group_idxs": (1,) * sellers,
        "full_alpha": (hidden["alpha"],) * sellers,
    }


PARAMETERS = {
    "procurement": _procurement_parameters,
    "scheduling": _scheduling_parameters,
    "pricing": _pricing_parameters,
    "efficiency_vs_equality": _equality_parameters,
    "collusiveness_vs_competitiveness": _collusion_parameters,
}


def parameters_of(
    environment: str, instance: Instance, seed: int, periods: int, model: str, variant: str
) -> dict[str, Any]:
    own = PARAMETERS[environment](instance, Told(seed, periods, model, variant))
    if "_vs_" in environment:
        return own
    return {"num_attempts": periods, "prompt_type": "v1", "seed": seed, "model": model, "verbose": False} | own


def _entry(offer: dict[str, Any]) -> dict[str, Any]:
    price = offer["price_cents"] / 100
    if offer["kind"] == "simple":
        return {"type": "basic", "contents": offer["contents"], "cost": price}
    if offer["kind"] == "bulk_only":
        return {
            "type": "bulk_discount",
            "contents": offer["contents"],
            "cost": price,
            "min_quantity": offer["min_quantity"],
        }
    fixed = offer["upfront_cents"] / 100
    return {"type": "two_part_tariff", "contents": offer["contents"], "fixed_cost": fixed, "variable_cost": price}
