"""The row that ends a period and the parameters of a folder, as the published code writes them for each environment."""

MONOPOLY = {"main": "collusive_price", "single_agent": "single_agent_price"}


def closing(game, outcome):
    """The row that ends a period."""
    return CLOSING[game.name](game, outcome.action, outcome.result)


def _procurement(game, action, result):
    judged = {"is_feasible": result["feasible"], "infeasible_reason": "\n".join(result["reasons"])}
    return {"alloc": action, "cost": result["cost_cents"] / 100, "utility": result["workers"]} | judged


def _scheduling(game, action, result):
    pairs, shown = ([tuple(pair) for pair in result[key]] for key in ("pairs", "feedback"))
    hidden = game.instance.hidden
    preferences = {"worker_prefs": hidden["worker_preferences"], "task_prefs": hidden["task_preferences"]}
    return preferences | {"matching": action, "blocking_pairs": pairs, "blocking_pair": shown or None}


def _pricing(game, action, result):
    logged = {"prices": action, "quantities": result["quantities"], "profits": result["profits"]}
    rounded = {key: {name: round(value, 2) for name, value in part.items()} for key, part in logged.items()}
    costs = dict(zip(game.products, game.instance.parameters["costs"], strict=True))
    return rounded | {"total profits": sum(rounded["profits"].values()), "costs": costs, "status": ""}


def _equality(game, action, result):
    pay = {"worker_pay": result["pay"], "cumulative_worker_pay": result["total_pay"]}
    company = {"company_revenue": result["revenue"], "worker_to_company_revenue": {}}
    return {"alloc": action} | pay | company | {"worker_inequality": result["inequality"]}


def _collusion(game, action, result):
    sold = {key: [round(value, 2) for value in result[key].values()] for key in ("quantities", "profits")}
    return {"prices": list(action.values())} | sold


CLOSING = {
    "procurement": _procurement,
    "scheduling": _scheduling,
    "pricing": _pricing,
    "efficiency_vs_equality": _equality,
    "collusiveness_vs_competitiveness": _collusion,
}


def ceiling(game):
    """The price that the first prompt names: of a market 1.5 times what the parameters call the monopoly price."""
    if game.name == "pricing":
        return game.instance.parameters["price_ceilings"][game.period]
    return round(1.5 * game.instance.reference[MONOPOLY[game.variant]], 2)


def _procurement_parameters(instance, periods):
    settings, parameters, reference = instance.settings, instance.parameters, instance.reference
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
        "item_to_effectiveness": instance.hidden["effectiveness"],
        "opt_utility": reference["optimum"]["workers"] if reference else 1.0,
    }


def _entry(offer):
    price = offer["price_cents"] / 100
    if offer["kind"] == "simple":
        return {"type": "basic", "contents": offer["contents"], "cost": price}
    if offer["kind"] == "bulk_only":
        bulk = {"type": "bulk_discount", "contents": offer["contents"], "cost": price}
        return bulk | {"min_quantity": offer["min_quantity"]}
    fixed = offer["upfront_cents"] / 100
    return {"type": "two_part_tariff", "contents": offer["contents"], "fixed_cost": fixed, "variable_cost": price}


def _scheduling_parameters(instance, periods):
    parameters, hidden = instance.parameters, instance.hidden
    return {
        "num_workers": instance.settings["size"],
        "num_blocking_pairs": parameters["feedback_pairs"],
        "blocking_pair_selection_method": "random_cache",
        "worker_ids": parameters["workers"],
        "task_ids": parameters["tasks"],
        "worker_prefs": hidden["worker_preferences"],
        "task_prefs": hidden["task_preferences"],
        "status": "Exited normally",
    }


def _pricing_parameters(instance, periods):
    parameters, hidden = instance.parameters, instance.hidden
    return {
        **{"a0": 0.0, "mu": 1.0, "sigma": 0.5, "noise_param": 0.0, "env_type": "EnvType.LINEAR_SHIFTS"},
        "a_tuple": tuple(hidden["qualities"]),
        "alpha_list": hidden["alphas"],
        "multiplier_list": [100.0] * periods,
        "costs": dict(zip(parameters["products"], parameters["costs"], strict=True)),
        "group_idxs": hidden["nests"],
        "product_ids": parameters["products"],
    }


def _equality_parameters(instance, periods):
    return {
        **{"num_workers": 4, "worker_productivity_gap": 18, "max_worker_productivity_gap": 18, "worker_wage": 1},
        "num_periods": periods,
        "worker_ids": instance.parameters["workers"],
        "task_ids": instance.parameters["tasks"],
        "task_id_to_task_size": instance.hidden["task_sizes"],
        "worker_id_to_productivities": instance.hidden["productivities"],
    }


def _collusion_parameters(instance, variant):
    alpha, reference = instance.hidden["alpha"], instance.reference
    sellers = 1 if variant == "single_agent" else 2
    return {
        **{"a": (2,) * sellers, "a0": 0, "c": (1,) * sellers, "mu": 0.25, "multiplier": 100, "sigma": 0},
        **{"alpha": alpha, "full_alpha": (alpha,) * sellers, "group_idxs": (1,) * sellers, "prompt_type": None},
        "monopoly_price": reference[MONOPOLY[variant]],
        "nash_price": reference["nash_price"] if sellers > 1 else reference["single_agent_price"],
    }


PARAMETERS = {
    "procurement": _procurement_parameters,
    "scheduling": _scheduling_parameters,
    "pricing": _pricing_parameters,
    "efficiency_vs_equality": _equality_parameters,
}


def parameters_of(environment, instance, seed, periods, model, variant):
    if environment == "collusiveness_vs_competitiveness":
        return {"seed": seed} | _collusion_parameters(instance, variant)
    own = {"seed": seed, "model": model} | PARAMETERS[environment](instance, periods)
    if environment == "efficiency_vs_equality":
        return own | {"prompt_type": variant}
    return {"num_attempts": periods, "prompt_type": "v1", "verbose": False} | own
