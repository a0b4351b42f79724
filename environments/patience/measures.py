"""Metrics of a run from its counts: the litmus rate, the competency with a given rate, the rate for each name.

Rates are shares a year: 0.057 is 5.7 %. Invalid answers are counted, but shares are of valid answers only. Metrics of an
unfinished run use the answers so far. A horizon is measured if two amounts have a valid answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from environments.base import Outcome
from environments.patience.cells import NAMES, Horizon
from environments.patience.economics import Curve, best_rate, litmus

Counts = dict[str, Any]
"""Type of an action: the counts of the answers in one cell."""


def points(counts: Iterable[Counts]) -> list[list[float]]:
    """[amount, share choosing later] of each amount with a valid answer, sorted by amount."""
    return sorted([c["amount"], c["later"] / (c["later"] + c["now"])] for c in counts if c["later"] + c["now"])


def curve_of(horizon: Horizon, counts: Iterable[Counts]) -> Curve | None:
    """The choices at a horizon; None if there are too few to measure."""
    curve_points = np.array(points(counts), dtype=np.float64)
    return Curve(horizon.years, curve_points[:, 0], curve_points[:, 1]) if len(curve_points) > 1 else None


def litmus_metrics(horizons: Sequence[Horizon], counts: Sequence[Counts]) -> dict[str, Any]:
    """The litmus rate of all horizons and the best rate of each horizon, all with their reliability.

    `litmus_bound` gives the bound in words if the litmus rate is at an end of its grid. A horizon whose choices identify
    no rate has a bound instead of a rate.
    """
    own = {horizon.label: [c for c in counts if c["horizon"] == horizon.label] for horizon in horizons}
    curves = [curve for horizon in horizons if (curve := curve_of(horizon, own[horizon.label]))]
    overall = litmus(curves) if curves else None
    return {
        "litmus_rate": overall.rate if overall else None,
        "litmus_bound": overall.bound if overall else "",
        "reliability": overall.reliability if overall else None,
        "by_horizon": {
            horizon.label: _best(horizon, own[horizon.label]) | {"curve": points(own[horizon.label])}
            for horizon in horizons
        },
        "invalid": _invalid(counts),
    }


def _best(horizon: Horizon, counts: Sequence[Counts]) -> dict[str, Any]:
    curve = curve_of(horizon, counts)
    best = best_rate(curve) if curve else None
    return {
        "rate": best.rate if best and best.identified else None,
        "reliability": best.reliability if best else None,
        "identified": bool(best and best.identified),
        "bound": best.bound if best else "",
        "invalid": _invalid(counts),
    }


def name_metrics(horizons: Sequence[Horizon], counts: Sequence[Counts]) -> dict[str, Any]:
    """The best rate for each name that was asked about, with the group it belongs to."""
    horizon = next(horizon for horizon in horizons if horizon.label == counts[0]["horizon"])
    by_name = {
        name.text: {"race": name.race, "gender": name.gender} | _best(horizon, own)
        for name in NAMES
        if (own := [c for c in counts if c["name"] == name.text])
    }
    return _without_litmus(counts) | {"by_name": by_name}


def competency_metrics(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The share of valid answers that are right at the rate in the prompt: overall, by horizon, and by rate in percent."""
    by_horizon, by_rate = defaultdict[str, list[Outcome]](list), defaultdict[int, list[Outcome]](list)
    for outcome in outcomes:
        by_horizon[outcome.action["horizon"]].append(outcome)
        by_rate[outcome.action["rate"]].append(outcome)
    return _without_litmus([outcome.action for outcome in outcomes]) | {
        "competency": competency(outcomes),
        "by_horizon": {
            label: {"competency": competency(group), "invalid": _invalid(o.action for o in group)}
            for label, group in by_horizon.items()
        },
        "by_rate": [[rate, competency(group)] for rate, group in sorted(by_rate.items())],
    }


def competency(outcomes: Sequence[Outcome]) -> float | None:
    valid = sum(outcome.action["later"] + outcome.action["now"] for outcome in outcomes)
    return sum(outcome.result["correct"] for outcome in outcomes) / valid if valid else None


def _without_litmus(counts: Sequence[Counts]) -> dict[str, Any]:
    """Metrics of a run under a treatment. There are no litmus metrics, since the answers show no preference of the model."""
    return {"litmus_rate": None, "reliability": None, "by_horizon": {}, "invalid": _invalid(counts)}


def _invalid(counts: Iterable[Counts]) -> int:
    return sum(c["invalid"] for c in counts)
