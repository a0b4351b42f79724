"""What the published code makes of actions that are none here, computed without our environments."""

import math


def results_as_published(game, action):
    if game.name == "procurement":
        return _evaluated(game.instance, action)
    if game.name == "pricing":
        return _sold(game.instance, action["Product_1"], game.period)
    hidden, prices = game.instance.hidden, list(action.values())
    weights = [math.exp((hidden["quality"] - price / hidden["alpha"]) / hidden["mu"]) for price in prices]
    sold = [100 * weight / (sum(weights) + 1) for weight in weights]
    earned = [(price / hidden["alpha"] - 1) * quantity for price, quantity in zip(prices, sold, strict=True)]
    return {"quantities": [round(q, 2) for q in sold], "profits": [round(p, 2) for p in earned]}


def _evaluated(instance, plan):
    cost, reasons, bought = 0.0, "", {}
    for offer in instance.parameters["offers"]:
        quantity = plan[offer["id"]]
        least, upfront = offer.get("min_quantity"), offer.get("upfront_cents")
        if least and 0 < quantity < least:
            reasons += f"Quantity {quantity} for {offer['id']} is insufficient\n"
        elif upfront is None or quantity > 0:
            cost += (upfront or 0) / 100 + quantity * offer["price_cents"] / 100
        for item, count in offer["contents"].items():
            bought[item] = bought.get(item, 0) + quantity * count
    budget, groups = instance.parameters["budget_cents"] / 100, instance.parameters["categories"]
    sums = [sum(bought.get(item, 0) * instance.hidden["effectiveness"][item] for item in group) for group in groups]
    reasons += f"Total cost {cost:.2f} exceeds budget {budget:.2f}\n" if cost > budget else ""
    workers = math.prod(total ** (1 / len(sums)) for total in sums)
    return {"cost": cost, "utility": workers, "is_feasible": not reasons, "infeasible_reason": reasons}


def _sold(instance, price, period):
    """Of one product."""
    real, cost = price / instance.hidden["alphas"][period][0], instance.parameters["costs"][0]
    inside = math.exp(instance.hidden["qualities"][0] - real)
    quantity = 100 * inside / (inside + math.sqrt(2))
    profit = round((real - cost) * quantity, 2)
    return {"quantities": {"Product_1": round(quantity, 2)}, "profits": {"Product_1": profit}, "total profits": profit}
